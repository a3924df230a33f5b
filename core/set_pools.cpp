#include "core/set_pools.h"

#include <exception>
#include <utility>

namespace gemmlab {

SetPools::SetPools(std::int64_t a_count, std::int64_t b_count, std::int64_t c_count, const Take& take,
                   GiveBack give_back)
    : give_back_(std::move(give_back)) {
  try {
    a_ = take(a_count);
    b_ = take(b_count);
    c_ = take(c_count);
  } catch (...) {
    release();
    throw;
  }
}

SetPools::~SetPools() {
  release();
}

void SetPools::release() {
  for (float* memory : {a_, b_, c_}) {
    if (memory == nullptr) continue;
    try {
      give_back_(memory);
    } catch (const std::exception&) {
      // the device is lost, and its process about to be replaced: what was computed has said so already
    }
  }
}

void SetContents::fill_a(float* host_to, std::int64_t set) const {
  fill(host_to, shape.m, shape.k, distribution, seed, Operand::kA, rotation(set), integer_limit(shape.k));
}

void SetContents::fill_b(float* host_to) const {
  fill(host_to, shape.k, shape.n, distribution, seed, Operand::kB, 0, integer_limit(shape.k));
}

}  // namespace gemmlab
