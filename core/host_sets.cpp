#include "core/host_sets.h"

#include <algorithm>
#include <limits>

namespace gemmlab {

HostSets::HostSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
                   HostMemory memory, std::int64_t count)
    : backend_(backend),
      shape_(shape),
      distribution_(distribution),
      seed_(seed),
      memory_(memory),
      count_(count) {
  try {
    a_ = backend_.allocate_host(count * shape.a_count(), memory);
    b_ = backend_.allocate_host(count * shape.b_count(), memory);
    c_ = backend_.allocate_host(shape.c_count(), memory);
  } catch (...) {
    release();
    throw;
  }
  for (std::int64_t set = 0; set < count; ++set) restore(set);
  poison();
}

HostSets::~HostSets() {
  release();
}

void HostSets::release() {
  for (float* memory : {a_, b_, c_}) {
    if (memory == nullptr) continue;
    try {
      backend_.release_host(memory, memory_);
    } catch (const std::exception&) {
      // the device is lost, and its process about to be replaced: what was computed has said so already
    }
  }
}

void HostSets::poison() {
  std::fill(c_, c_ + shape_.c_count(), std::numeric_limits<float>::quiet_NaN());
}

void HostSets::restore(std::int64_t set) {
  const std::int32_t limit = integer_limit(shape_.k);
  fill(a(set), shape_.m, shape_.k, distribution_, seed_, Operand::kA, rotation(set), limit);
  fill(b(set), shape_.k, shape_.n, distribution_, seed_, Operand::kB, 0, limit);
}

}  // namespace gemmlab
