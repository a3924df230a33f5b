#pragma once

// Sets of inputs in host memory, so that a cold call finds none of its operands in a cache.

#include <cstdint>

#include "core/backend.h"
#include "core/inputs/set_pools.h"

namespace gemmlab {

/// Input sets (SetContents), and one set of outputs, in host memory: where a program has them before anything
/// is sent to a device. Throws OutOfMemory after freeing what it took.
class HostSets {
 public:
  HostSets(Backend& backend, const Instance& instance, const InputValues& values, HostMemory memory,
           std::int64_t count);

  std::int64_t count() const { return count_; }
  const InputValues& values() const { return contents_.values; }
  Operands operands(std::int64_t set) const;
  /// The state before a checked call: outputs poisoned, operands that are read and overwritten filled anew.
  void make_ready(std::int64_t set);
  /// Writes the inputs of one set anew, after an implementation was found to have changed them.
  void restore(std::int64_t set);

 private:
  void fill(std::int64_t set, Direction direction);
  void* at(std::size_t operand, std::int64_t set) const;

  SetContents contents_;
  std::int64_t count_;
  SetPools pools_;
};

}  // namespace gemmlab
