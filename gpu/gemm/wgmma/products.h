#pragma once

// wgmma on elements of 8 and 16 bits, by type: D (64, kCols) of a warpgroup, added to or begun anew. What a thread holds of D:
// tensor/instructions/wgmma.h. Source: PTX ISA, wgmma.mma_async.

#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>

#include "gpu/gemm/tensor/instructions/register_lists.h"
#include "gpu/gemm/wmma/types.h"

namespace gemmlab::gpu::tensor_core {

using Float8E4m3 = __nv_fp8_e4m3;
using Float8E5m2 = __nv_fp8_e5m2;
using Int8 = signed char;

template <typename In>
using SumOf = std::conditional_t<std::is_same_v<In, Int8>, std::int32_t, float>;

/// Terms of one instruction: 32 bytes of a row of A.
template <typename In>
constexpr int kTermsOf = 32 / static_cast<int>(sizeof(In));

// `onto`: D is added to; else it is overwritten. kColumnsOfB: neighbours in shared memory are columns of B, not terms of one
// column, as elements of 16 bits alone may lie.
#define GEMMLAB_TYPED_PRODUCT(In, Sum, how, cols, count, shape, tail, A_, B_, onto_)                \
  template <bool kColumnsOfB>                                                                       \
  __device__ inline void multiply(Sum(&D)[count], std::uint64_t A, std::uint64_t B, int onto, In) { \
    asm volatile(                                                                                   \
        "{\n"                                                                                       \
        ".reg .pred onto;\n"                                                                        \
        "setp.ne.b32 onto, " onto_                                                                  \
        ", 0;\n"                                                                                    \
        "wgmma.mma_async.sync.aligned.m64n" #cols shape " {" GEMMLAB_NAMES##count "}, " A_ ", " B_  \
                                                                                  ", onto" tail     \
                                                                                  ";\n"             \
                                                                                  "}\n"             \
        : GEMMLAB_D##count(how)                                                                     \
        : "l"(A), "l"(B), "r"(onto), "n"(kColumnsOfB ? 1 : 0));                                     \
  }
#define GEMMLAB_TYPED_PRODUCTS(cols, count, A_, B_, onto_, columns_)                                         \
  GEMMLAB_TYPED_PRODUCT(Bfloat16, float, "+f", cols, count, "k16.f32.bf16.bf16", ", 1, 1, 0, " columns_, A_, \
                        B_, onto_)                                                                           \
  GEMMLAB_TYPED_PRODUCT(Float16, float, "+f", cols, count, "k16.f32.f16.f16", ", 1, 1, 0, " columns_, A_,    \
                        B_, onto_)                                                                           \
  GEMMLAB_TYPED_PRODUCT(Float8E4m3, float, "+f", cols, count, "k32.f32.e4m3.e4m3", ", 1, 1", A_, B_, onto_)  \
  GEMMLAB_TYPED_PRODUCT(Float8E5m2, float, "+f", cols, count, "k32.f32.e5m2.e5m2", ", 1, 1", A_, B_, onto_)  \
  GEMMLAB_TYPED_PRODUCT(Int8, std::int32_t, "+r", cols, count, "k32.s32.s8.s8", "", A_, B_, onto_)

GEMMLAB_TYPED_PRODUCTS(32, 16, "%16", "%17", "%18", "%19")
GEMMLAB_TYPED_PRODUCTS(64, 32, "%32", "%33", "%34", "%35")
GEMMLAB_TYPED_PRODUCTS(128, 64, "%64", "%65", "%66", "%67")
GEMMLAB_TYPED_PRODUCTS(192, 96, "%96", "%97", "%98", "%99")
GEMMLAB_TYPED_PRODUCTS(256, 128, "%128", "%129", "%130", "%131")

// Until all products are over: D is an operand so that the compiler moves no use of it ahead of the wait.
#define GEMMLAB_WAIT_FOR(Sum, how, count)                     \
  template <int kPending = 0>                                 \
  __device__ inline void wait_for_sums(Sum(&D)[count]) {      \
    asm volatile("wgmma.wait_group.sync.aligned %" #count ";" \
                 : GEMMLAB_D##count(how)                      \
                 : "n"(kPending)                              \
                 : "memory");                                 \
  }
GEMMLAB_WAIT_FOR(float, "+f", 16)
GEMMLAB_WAIT_FOR(float, "+f", 32)
GEMMLAB_WAIT_FOR(float, "+f", 64)
GEMMLAB_WAIT_FOR(float, "+f", 96)
GEMMLAB_WAIT_FOR(float, "+f", 128)
GEMMLAB_WAIT_FOR(std::int32_t, "+r", 16)
GEMMLAB_WAIT_FOR(std::int32_t, "+r", 32)
GEMMLAB_WAIT_FOR(std::int32_t, "+r", 64)
GEMMLAB_WAIT_FOR(std::int32_t, "+r", 96)
GEMMLAB_WAIT_FOR(std::int32_t, "+r", 128)

#undef GEMMLAB_WAIT_FOR
#undef GEMMLAB_TYPED_PRODUCTS
#undef GEMMLAB_TYPED_PRODUCT

}  // namespace gemmlab::gpu::tensor_core
