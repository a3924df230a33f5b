#pragma once

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

namespace cooperative_groups {

/// All threads of the group copy `bytes`, in pieces of 16, 4 or 1 bytes as the addresses allow. wait() ends it.
template <typename Group>
GEMMLAB_DEVICE void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes) {
  const std::size_t low_bits =
      reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes;
  const auto copy = [&](auto piece) __attribute__((always_inline)) {
    using Piece = decltype(piece);
    for (std::size_t i = group.thread_rank(); i < bytes / sizeof(Piece); i += group.size()) {
      static_cast<Piece*>(to)[i] = static_cast<const Piece*>(from)[i];
    }
  };
  if (low_bits % 16 == 0) {
    copy(gemmlab::emulation::Copied<16>::Type());
  } else if (low_bits % 4 == 0) {
    copy(gemmlab::emulation::Copied<4>::Type());
  } else {
    copy(gemmlab::emulation::Copied<1>::Type());
  }
}
template <typename Group>
GEMMLAB_DEVICE void wait(const Group& group) {
  group.sync();
}
template <unsigned PENDING, typename Group>
GEMMLAB_DEVICE void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
