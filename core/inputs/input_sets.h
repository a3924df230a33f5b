#pragma once

// Sets of inputs in a device's memory: how many there must be, and where they lie.

#include <cstdint>

#include "core/backend.h"
#include "core/inputs/set_pools.h"

namespace gemmlab {

/// Bytes per set of an operand in a pool of sets: each set starts at a multiple of 256, as with cudaMalloc.
std::int64_t padded_bytes(std::int64_t bytes);

/// Number of sets of all operands such that a set has left a cache of `cache_bytes` before it is used again:
/// one where the cache may stay warm; otherwise at least two, and as many as fill the cache four times. (No
/// cache evicts strictly the oldest: part of a set that just exceeds it would still be there.)
std::int64_t sets_needed(const Instance& instance, std::int64_t cache_bytes, bool cold);

/// Where operands lie when the clock starts: in the device's memory, or page-locked on the host.
enum class Room { kDevice, kHost };
/// On the host where a parameter `operands` is `host`: such an implementation's Session::run() takes all operands, outputs too,
/// in memory of Backend::allocate_host_bytes, and their way to the device and back is part of it.
Room room_of(const Parameters& parameters);

/// Sets of all operands (SetContents) in the memory of a device, or in the host's for it. Throws OutOfMemory after
/// freeing what it took.
class InputSets {
 public:
  InputSets(Backend& backend, const Instance& instance, const InputValues& values, std::int64_t count,
            Room room = Room::kDevice);

  std::int64_t count() const { return count_; }
  Room room() const { return room_; }
  const Instance& instance() const { return contents_.instance; }
  const InputValues& values() const { return contents_.values; }
  Operands operands(std::int64_t set) const;
  /// The state before a checked call: outputs poisoned, operands that are read and overwritten filled anew.
  void make_ready(std::int64_t set);
  void make_all_ready();
  /// Writes the inputs of one set anew, after an implementation was found to have changed them.
  void restore(std::int64_t set);

 private:
  std::int64_t stride(std::size_t operand) const { return padded_bytes(contents_.instance.bytes(operand)); }
  void* at(std::size_t operand, std::int64_t set) const { return pools_.at(operand) + set * stride(operand); }
  void fill_all(std::size_t operand);
  void fill_sets(std::size_t operand, std::int64_t first, std::int64_t count);
  void fill_on_host(std::size_t operand, std::int64_t first, std::int64_t count);
  void poison(std::size_t operand, std::int64_t set, std::int64_t bytes);

  Backend& backend_;
  SetContents contents_;
  std::int64_t count_;
  Room room_;
  SetPools pools_;
};

}  // namespace gemmlab
