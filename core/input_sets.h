#pragma once

#include <cstdint>
#include <vector>

#include "core/backend.h"
#include "core/inputs.h"
#include "core/shape.h"

namespace gemmlab {

/// How many sets of A, B and C it takes so that a set has left a cache of `cache_bytes` before its turn comes again:
/// one where the cache may stay warm, else at least two.
std::int64_t sets_needed(const Shape& shape, std::int64_t cache_bytes, bool cold);

/// Sets of A, B and C in a device's memory. Set s is the base with A's rows rotated by s, so that one reference serves
/// all. Throws OutOfMemory, having given back what it took.
class InputSets {
 public:
  InputSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed, std::int64_t count);
  ~InputSets();
  InputSets(const InputSets&) = delete;
  InputSets& operator=(const InputSets&) = delete;

  std::int64_t count() const { return static_cast<std::int64_t>(sets_.size()); }
  std::int64_t rotation(std::int64_t set) const { return set % shape_.m; }
  const float* a(std::int64_t set) const { return sets_[set].a; }
  const float* b(std::int64_t set) const { return sets_[set].b; }
  float* c(std::int64_t set) const { return sets_[set].c; }

  void poison_all();
  /// Writes A and B of one set anew, after an implementation was found to have changed them.
  void restore(std::int64_t set);

 private:
  struct Set {
    float* a = nullptr;
    float* b = nullptr;
    float* c = nullptr;
  };
  void release();

  Backend& backend_;
  Shape shape_;
  Distribution distribution_;
  std::uint64_t seed_;
  std::vector<Set> sets_;
};

}  // namespace gemmlab
