#pragma once

#include <cstdint>

#include "core/backend.h"
#include "core/inputs.h"
#include "core/shape.h"

namespace gemmlab {

/// Sets of A and B, and one C, in host memory: where a program has them before anything was sent to a device.
/// Set s is the base with A's rows rotated by s. Throws OutOfMemory, having given back what it took.
class HostSets {
 public:
  HostSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
           HostMemory memory, std::int64_t count);
  ~HostSets();
  HostSets(const HostSets&) = delete;
  HostSets& operator=(const HostSets&) = delete;

  std::int64_t count() const { return count_; }
  std::int64_t rotation(std::int64_t set) const { return set % shape_.m; }
  float* a(std::int64_t set) const { return a_ + set * shape_.a_count(); }
  float* b(std::int64_t set) const { return b_ + set * shape_.b_count(); }
  float* c() const { return c_; }

  void poison();
  /// Writes A and B of one set anew, after an implementation was found to have changed them.
  void restore(std::int64_t set);

 private:
  void release();

  Backend& backend_;
  Shape shape_;
  Distribution distribution_;
  std::uint64_t seed_;
  HostMemory memory_;
  std::int64_t count_;
  float* a_ = nullptr;
  float* b_ = nullptr;
  float* c_ = nullptr;
};

}  // namespace gemmlab
