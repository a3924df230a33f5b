#include "core/inputs/set_pools.h"

#include <exception>
#include <utility>

namespace gemmlab {

SetPools::SetPools(const std::vector<std::int64_t>& bytes, const Take& take, GiveBack give_back)
    : give_back_(std::move(give_back)) {
  try {
    for (const std::int64_t one : bytes) pools_.push_back(take(one));
  } catch (...) {
    release();
    throw;
  }
}

SetPools::~SetPools() {
  release();
}

void SetPools::release() {
  for (void* memory : pools_) {
    try {
      give_back_(memory);
    } catch (const std::exception&) {
      // the device is lost, and its process about to be replaced: what was computed has said so already
    }
  }
}

}  // namespace gemmlab
