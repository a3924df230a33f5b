#pragma once

// Copies to shared memory by all threads of a group.

#include "../cooperative_groups.h"

namespace cooperative_groups {

/// All threads of the group copy `bytes` to shared memory, in pieces of 16, 8 or 4 bytes as the addresses allow, and
/// odd bytes at once. wait() ends it.
template <typename Group>
GEMMLAB_DEVICE void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes) {
  const std::size_t low_bits =
      reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes;
  const std::size_t piece = low_bits % 16 == 0 ? 16 : low_bits % 8 == 0 ? 8 : low_bits % 4 == 0 ? 4 : 1;
  for (std::size_t i = group.thread_rank() * piece; i < bytes; i += group.size() * piece) {
    if (piece == 1) {
      static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
    } else {
      gemmlab::emulation::async_copy(static_cast<char*>(to) + i, static_cast<const char*>(from) + i, piece,
                                     piece);
    }
  }
  gemmlab::emulation::async_commit();
}
template <typename Group>
GEMMLAB_DEVICE void wait(const Group& group) {
  gemmlab::emulation::async_wait(0);
  group.sync();
}
template <unsigned PENDING, typename Group>
GEMMLAB_DEVICE void wait_prior(const Group& group) {
  gemmlab::emulation::async_wait(PENDING);
  group.sync();
}

}  // namespace cooperative_groups
