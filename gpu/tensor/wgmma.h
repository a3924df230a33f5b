#pragma once

// wgmma on a 64×128 tile of C held by a warpgroup of four warps. Thread t of the warpgroup holds, for i = 0 …
// 15,
//   D[4i], D[4i + 1]      of row 16·(t / 32) + t % 32 / 4,      columns 8i + t % 4 · 2 and the next,
//   D[4i + 2], D[4i + 3]  of the row 8 further down, the same columns.
// Both operands are read from shared memory through descriptors. Source: PTX ISA, wgmma.mma_async.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace gemmlab::gpu::parts {

constexpr int kAccumulators = 64;
using Accumulators = float[kAccumulators];

/// A tile whose rows are 128 bytes along K, in eights of 1024 bytes, written by TMA with the 128-byte
/// swizzle: address and distance of the eights in units of 16 bytes, and the code of the swizzle.
__device__ inline std::uint64_t descriptor(std::uint32_t address) {
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
  constexpr std::uint64_t kEightRows = std::uint64_t{1024 >> 4} << 32;
  return kSwizzle128 | kEightRows | (address & 0x3ffff) >> 4;
}

/// Before the first wgmma, and before one whose accumulators other instructions have touched.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Closes a group of wgmma for wgmma_wait to count.
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// The 64 accumulators as operands of an instruction, by the names that they have there, and the instruction.
#define GEMMLAB_D4(how, i) how(D[i]), how(D[i + 1]), how(D[i + 2]), how(D[i + 3])
#define GEMMLAB_D16(how, i) \
  GEMMLAB_D4(how, i), GEMMLAB_D4(how, i + 4), GEMMLAB_D4(how, i + 8), GEMMLAB_D4(how, i + 12)
#define GEMMLAB_D(how) GEMMLAB_D16(how, 0), GEMMLAB_D16(how, 16), GEMMLAB_D16(how, 32), GEMMLAB_D16(how, 48)
#define GEMMLAB_D_NAMES                                                              \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GEMMLAB_WGMMA(type, accumulate)                                             \
  "{\n"                                                                             \
  ".reg .pred p;\n"                                                                 \
  "setp.ne.b32 p, " accumulate                                                      \
  ", 0;\n"                                                                          \
  "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" GEMMLAB_D_NAMES \
  "}, %64, %65, p, 1, 1, 0, 0;\n"                                                   \
  "}\n"

/// Waits until at most `kPending` groups are under way. D is that of the groups waited for: an operand here,
/// so that the compiler moves no use of it ahead of the wait.
template <int kPending>
__device__ inline void wgmma_wait(Accumulators& D) {
  asm volatile("wgmma.wait_group.sync.aligned %64;" : GEMMLAB_D("+f") : "n"(kPending) : "memory");
}

/// D = A·B over 16 of K.
__device__ inline void wgmma_first(Accumulators& D, std::uint64_t A, std::uint64_t B, __half) {
  asm volatile(GEMMLAB_WGMMA("f16", "0") : GEMMLAB_D("=f") : "l"(A), "l"(B));
}

/// D = A·B + D over 16 of K.
__device__ inline void wgmma(Accumulators& D, std::uint64_t A, std::uint64_t B, __half) {
  asm volatile(GEMMLAB_WGMMA("f16", "1") : GEMMLAB_D("+f") : "l"(A), "l"(B));
}

/// D = A·B over 16 of K.
__device__ inline void wgmma_first(Accumulators& D, std::uint64_t A, std::uint64_t B, __nv_bfloat16) {
  asm volatile(GEMMLAB_WGMMA("bf16", "0") : GEMMLAB_D("=f") : "l"(A), "l"(B));
}

/// D = A·B + D over 16 of K.
__device__ inline void wgmma(Accumulators& D, std::uint64_t A, std::uint64_t B, __nv_bfloat16) {
  asm volatile(GEMMLAB_WGMMA("bf16", "1") : GEMMLAB_D("+f") : "l"(A), "l"(B));
}

#undef GEMMLAB_WGMMA
#undef GEMMLAB_D_NAMES
#undef GEMMLAB_D
#undef GEMMLAB_D16
#undef GEMMLAB_D4

}  // namespace gemmlab::gpu::parts
