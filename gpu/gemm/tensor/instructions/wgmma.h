#pragma once

// wgmma on a 64×128 or 64×64 tile of C held by a warpgroup of four warps. Thread t of the warpgroup holds,
// for i = 0 … 15 or 7,
//   D[4i], D[4i + 1]      of row 16·(t / 32) + t % 32 / 4,      columns 8i + t % 4 · 2 and the next,
//   D[4i + 2], D[4i + 3]  of the row 8 further down, the same columns.
// Both operands are read from shared memory through descriptors. Source: PTX ISA, wgmma.mma_async.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/gemm/tensor/instructions/register_lists.h"

namespace gemmlab::gpu::parts {

/// What a thread holds of a warpgroup's 64×kCols of C.
template <int kCols>
using Accumulators = float[kCols / 2];

/// A tile whose rows are kRowBytes along K, in eights, written by TMA with the swizzle of that width: address
/// and distance of the eights in units of 16 bytes, and the code of the swizzle.
template <int kRowBytes>
__device__ inline std::uint64_t descriptor(std::uint32_t address) {
  static_assert(kRowBytes == 128 || kRowBytes == 64, "the swizzles that are used here");
  constexpr std::uint64_t kSwizzle = std::uint64_t{kRowBytes == 128 ? 1 : 2} << 62;
  constexpr std::uint64_t kEightRows = std::uint64_t{8 * kRowBytes >> 4} << 32;
  return kSwizzle | kEightRows | (address & 0x3ffff) >> 4;
}

/// Before the first wgmma, and before one whose accumulators other instructions have touched.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Closes a group of wgmma for wgmma_wait to count.
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `kPending` groups are under way: for what they read, not for their sums.
template <int kPending>
__device__ inline void wgmma_wait_for_reads() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// The instruction, its accumulators by the names of register_lists.h.
#define GEMMLAB_WGMMA(cols, names, operands, type, accumulate)                                \
  "{\n"                                                                                       \
  ".reg .pred p;\n"                                                                           \
  "setp.ne.b32 p, " accumulate                                                                \
  ", 0;\n"                                                                                    \
  "wgmma.mma_async.sync.aligned.m64n" cols "k16.f32." type "." type " {" names "}, " operands \
  ", p, 1, 1, 0, 0;\n"                                                                        \
  "}\n"

// wgmma_first: D = A·B over 16 of K. wgmma: D = A·B + D. wgmma_wait: until at most kPending groups are
// under way; D is that of the groups waited for, an operand here so that the compiler moves no use of it
// ahead of the wait.
#define GEMMLAB_WGMMA_OF(Part, type, cols, count, operands)                                           \
  __device__ inline void wgmma_first(Accumulators<cols>& D, std::uint64_t A, std::uint64_t B, Part) { \
    asm volatile(GEMMLAB_WGMMA(#cols, GEMMLAB_NAMES##count, operands, type, "0")                      \
                 : GEMMLAB_D##count("=f")                                                             \
                 : "l"(A), "l"(B));                                                                   \
  }                                                                                                   \
  __device__ inline void wgmma(Accumulators<cols>& D, std::uint64_t A, std::uint64_t B, Part) {       \
    asm volatile(GEMMLAB_WGMMA(#cols, GEMMLAB_NAMES##count, operands, type, "1")                      \
                 : GEMMLAB_D##count("+f")                                                             \
                 : "l"(A), "l"(B));                                                                   \
  }
#define GEMMLAB_WAIT_OF(cols, count, operand)                 \
  template <int kPending>                                     \
  __device__ inline void wgmma_wait(Accumulators<cols>& D) {  \
    asm volatile("wgmma.wait_group.sync.aligned " operand ";" \
                 : GEMMLAB_D##count("+f")                     \
                 : "n"(kPending)                              \
                 : "memory");                                 \
  }

GEMMLAB_WGMMA_OF(__half, "f16", 128, 64, "%64, %65")
GEMMLAB_WGMMA_OF(__half, "f16", 64, 32, "%32, %33")
GEMMLAB_WGMMA_OF(__nv_bfloat16, "bf16", 128, 64, "%64, %65")
GEMMLAB_WAIT_OF(128, 64, "%64")
GEMMLAB_WAIT_OF(64, 32, "%32")

#undef GEMMLAB_WAIT_OF
#undef GEMMLAB_WGMMA_OF
#undef GEMMLAB_WGMMA

}  // namespace gemmlab::gpu::parts
