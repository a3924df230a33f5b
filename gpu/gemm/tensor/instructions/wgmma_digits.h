#pragma once

// wgmma on 8-bit integers, summed in 32 bits: exact as long as a sum stays below 2³¹. A thread holds of a
// warpgroup's 64×128 or 64×64 of C what it holds of FP32 sums (wgmma.h). Source: PTX ISA, wgmma.mma_async.

#include <cstdint>

namespace gemmlab::gpu::parts {

/// What a thread holds of a warpgroup's 64×kCols of one sum of products of digits.
template <int kCols>
using DigitSums = int[kCols / 2];

#define GEMMLAB_D8(how, i)                                                                             \
  how(D[i]), how(D[i + 1]), how(D[i + 2]), how(D[i + 3]), how(D[i + 4]), how(D[i + 5]), how(D[i + 6]), \
      how(D[i + 7])
#define GEMMLAB_D32(how, i) \
  GEMMLAB_D8(how, i), GEMMLAB_D8(how, i + 8), GEMMLAB_D8(how, i + 16), GEMMLAB_D8(how, i + 24)
#define GEMMLAB_D64(how) GEMMLAB_D32(how, 0), GEMMLAB_D32(how, 32)
#define GEMMLAB_NAMES32                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GEMMLAB_NAMES64                                                                \
  GEMMLAB_NAMES32                                                                      \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

/// D += A·B over 32 of K, both operands by descriptors.
#define GEMMLAB_WGMMA_DIGITS(cols, names, all, operands)                                                   \
  __device__ inline void wgmma(DigitSums<cols>& D, std::uint64_t A, std::uint64_t B) {                     \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #cols "k32.s32.s8.s8 {" names "}, " operands ", 1;\n" \
                 : all                                                                                     \
                 : "l"(A), "l"(B));                                                                        \
  }                                                                                                        \
  /* All groups are over: D is an operand so that the compiler moves no use of it ahead. */                \
  __device__ inline void wgmma_wait_all(DigitSums<cols>& D) {                                              \
    asm volatile("wgmma.wait_group.sync.aligned 0;" : all : : "memory");                                   \
  }

GEMMLAB_WGMMA_DIGITS(64, GEMMLAB_NAMES32, GEMMLAB_D32("+r", 0), "%32, %33")
GEMMLAB_WGMMA_DIGITS(128, GEMMLAB_NAMES64, GEMMLAB_D64("+r"), "%64, %65")

#undef GEMMLAB_WGMMA_DIGITS
#undef GEMMLAB_NAMES64
#undef GEMMLAB_NAMES32
#undef GEMMLAB_D64
#undef GEMMLAB_D32
#undef GEMMLAB_D8

}  // namespace gemmlab::gpu::parts
