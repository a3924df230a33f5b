#pragma once

// wgmma on 8-bit integers, summed in 32 bits: exact as long as a sum stays below 2³¹. A thread holds of a
// warpgroup's 64×128 of C what it holds of FP32 sums (wgmma.h). Source: PTX ISA, wgmma.mma_async.

#include <cstdint>

#include "gpu/gemm/tensor/instructions/register_lists.h"

namespace gemmlab::gpu::parts {

/// What a thread holds of a warpgroup's 64×kCols of one sum of products of digits.
template <int kCols>
using DigitSums = int[kCols / 2];

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

GEMMLAB_WGMMA_DIGITS(128, GEMMLAB_NAMES64, GEMMLAB_D64("+r"), "%64, %65")

#undef GEMMLAB_WGMMA_DIGITS

}  // namespace gemmlab::gpu::parts
