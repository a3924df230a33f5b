#pragma once

#include <cstdint>

#include "core/backend.h"
#include "core/gemm/shape.h"
#include "core/inputs.h"
#include "core/set_pools.h"

namespace gemmlab {

/// Sets of A and B (SetContents), and one C, in host memory: where a program has them before anything was
/// sent to a device. Throws OutOfMemory, having given back what it took.
class HostSets {
 public:
  HostSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
           HostMemory memory, std::int64_t count);

  std::int64_t count() const { return count_; }
  std::int64_t rotation(std::int64_t set) const { return contents_.rotation(set); }
  float* a(std::int64_t set) const { return pools_.a() + set * contents_.shape.a_count(); }
  float* b(std::int64_t set) const { return pools_.b() + set * contents_.shape.b_count(); }
  float* c() const { return pools_.c(); }

  void poison();
  /// Writes A and B of one set anew, after an implementation was found to have changed them.
  void restore(std::int64_t set);

 private:
  SetContents contents_;
  std::int64_t count_;
  SetPools pools_;
};

}  // namespace gemmlab
