#pragma once

// CUDA's asynchronous copies to shared memory (cp.async). They are made at once, by accesses as wide as the copy, so
// that they are checked and counted like any other.

#include "cuda_runtime.h"

namespace gemmlab::emulation {

template <int BYTES>
struct Copied {
  typedef unsigned char Type __attribute__((vector_size(BYTES), may_alias));
};

/// Copies BYTES, of which the last `zeros` are not read but set to 0.
template <int BYTES>
GEMMLAB_DEVICE void copy_asynchronously(void* to, const void* from, std::size_t zeros) {
  using Piece = typename Copied<BYTES>::Type;
  Piece piece = {};
  if (zeros == 0) {
    piece = *static_cast<const Piece*>(from);
  } else {
    for (std::size_t i = 0; i < BYTES - zeros; ++i) piece[i] = static_cast<const unsigned char*>(from)[i];
  }
  *static_cast<Piece*>(to) = piece;
}

}  // namespace gemmlab::emulation

/// bytes: 4, 8 or 16, to which both addresses are aligned.
GEMMLAB_DEVICE void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                            std::size_t zeros = 0) {
  if (bytes == 16) return gemmlab::emulation::copy_asynchronously<16>(to, from, zeros);
  if (bytes == 8) return gemmlab::emulation::copy_asynchronously<8>(to, from, zeros);
  if (bytes == 4) return gemmlab::emulation::copy_asynchronously<4>(to, from, zeros);
  __trap();
}
GEMMLAB_DEVICE void __pipeline_commit() {}
GEMMLAB_DEVICE void __pipeline_wait_prior(std::size_t) {}
