#pragma once

// What the headers of <cuda/…> have in common.

#include "../cooperative_groups.h"
#include "../cuda_runtime.h"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

/// A size that is known to be a multiple of ALIGNMENT.
template <std::size_t ALIGNMENT>
struct aligned_size_t {
  static constexpr std::size_t align = ALIGNMENT;
  std::size_t value;
  GEMMLAB_DEVICE explicit aligned_size_t(std::size_t size) : value(size) {}
  GEMMLAB_DEVICE operator std::size_t() const { return value; }
};

}  // namespace cuda

namespace gemmlab::emulation {

// mbarriers, as inline PTX has them: emulator/runtime/phases.h.
void barrier_init(void* barrier, unsigned arrivals);
std::uint64_t barrier_arrive(void* barrier, unsigned count, long long bytes, bool drop);
void barrier_wait(void* barrier, std::uint64_t phase);
bool barrier_test(void* barrier, std::uint64_t phase);
void barrier_wait_parity(void* barrier, unsigned parity);
void barrier_expect(void* barrier, long long bytes);

/// `bytes` by one thread: in pieces of 16, 8 or 4 by cp.async where addresses allow, the rest at once.
GEMMLAB_DEVICE void copy_piecewise(void* to, const void* from, std::size_t bytes) {
  const std::size_t bits = reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes;
  const std::size_t piece = bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
  const bool asynchronous = piece > 1 && __isShared(to) != 0 && __isGlobal(from) != 0;
  for (std::size_t i = 0; i < bytes; i += piece) {
    char* const its = static_cast<char*>(to) + i;
    const char* const source = static_cast<const char*>(from) + i;
    if (asynchronous) {
      async_copy(its, source, piece, piece);
    } else {
      for (std::size_t byte = 0; byte < piece; ++byte) its[byte] = source[byte];
    }
  }
}
/// The share of one thread of a group.
template <typename Group>
GEMMLAB_DEVICE void copy_by_group(const Group& group, void* to, const void* from, std::size_t bytes) {
  const std::size_t bits = reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes;
  const std::size_t piece = bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
  for (std::size_t i = group.thread_rank() * piece; i < bytes; i += group.size() * piece)
    copy_piecewise(static_cast<char*>(to) + i, static_cast<const char*>(from) + i, piece);
}

}  // namespace gemmlab::emulation
