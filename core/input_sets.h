#pragma once

#include <cstdint>

#include "core/backend.h"
#include "core/gemm/shape.h"
#include "core/inputs.h"
#include "core/set_pools.h"

namespace gemmlab {

/// Elements that a matrix of `count` takes in a pool of sets: each starts at a multiple of 256 bytes, as
/// cudaMalloc's.
std::int64_t padded(std::int64_t count);

/// How many sets of A, B and C it takes so that a set has left a cache of `cache_bytes` before its turn comes
/// again: one where the cache may stay warm, else as many as fill it four times (no cache keeps strictly the
/// latest: of sets that just exceed it, a part would be found there), and at least two.
std::int64_t sets_needed(const Shape& shape, std::int64_t cache_bytes, bool cold);

/// Sets of A and B (SetContents), and as many C, in a device's memory. Throws OutOfMemory, having given back
/// what it took.
class InputSets {
 public:
  InputSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
            std::int64_t count);

  std::int64_t count() const { return count_; }
  std::int64_t rotation(std::int64_t set) const { return contents_.rotation(set); }
  const float* a(std::int64_t set) const { return pools_.a() + set * padded(contents_.shape.a_count()); }
  const float* b(std::int64_t set) const { return pools_.b() + set * padded(contents_.shape.b_count()); }
  float* c(std::int64_t set) const { return pools_.c() + set * padded(contents_.shape.c_count()); }

  void poison_all();
  /// Writes A and B of one set anew, after an implementation was found to have changed them.
  void restore(std::int64_t set);

 private:
  void fill_sets(std::int64_t first, std::int64_t count);

  Backend& backend_;
  SetContents contents_;
  std::int64_t count_;
  SetPools pools_;
};

}  // namespace gemmlab
