#pragma once

#include <cstdint>

#include "core/backend.h"
#include "core/inputs.h"
#include "core/shape.h"

namespace gemmlab {

/// Elements that a matrix of `count` takes in a pool of sets: each starts at a multiple of 256 bytes, as
/// cudaMalloc's.
std::int64_t padded(std::int64_t count);

/// How many sets of A, B and C it takes so that a set has left a cache of `cache_bytes` before its turn comes
/// again: one where the cache may stay warm, else as many as fill it four times (no cache keeps strictly the
/// latest: of sets that just exceed it, a part would be found there), and at least two.
std::int64_t sets_needed(const Shape& shape, std::int64_t cache_bytes, bool cold);

/// Sets of A, B and C in a device's memory, one pool for each matrix. Set s is the base with A's rows rotated
/// by s, so that one reference serves all. Throws OutOfMemory, having given back what it took.
class InputSets {
 public:
  InputSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
            std::int64_t count);
  ~InputSets();
  InputSets(const InputSets&) = delete;
  InputSets& operator=(const InputSets&) = delete;

  std::int64_t count() const { return count_; }
  std::int64_t rotation(std::int64_t set) const { return set % shape_.m; }
  const float* a(std::int64_t set) const { return a_ + set * padded(shape_.a_count()); }
  const float* b(std::int64_t set) const { return b_ + set * padded(shape_.b_count()); }
  float* c(std::int64_t set) const { return c_ + set * padded(shape_.c_count()); }

  void poison_all();
  /// Writes A and B of one set anew, after an implementation was found to have changed them.
  void restore(std::int64_t set);

 private:
  void release();
  void fill_sets(std::int64_t first, std::int64_t count);

  Backend& backend_;
  Shape shape_;
  Distribution distribution_;
  std::uint64_t seed_;
  std::int64_t count_;
  float* a_ = nullptr;
  float* b_ = nullptr;
  float* c_ = nullptr;
};

}  // namespace gemmlab
