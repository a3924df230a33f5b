#pragma once

// The C++ types of the elements that kernels on the tensor cores take, and how a sum becomes one.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/gemm/wmma/typed_row.h"

namespace gemmlab::gpu::tensor_core {

using Bfloat16 = __nv_bfloat16;
using Float16 = __half;

#ifdef __CUDACC__

/// A sum as an element of C: rounded to nearest, once.
__device__ inline void store(float* to, float sum) {
  *to = sum;
}
__device__ inline void store(std::int32_t* to, std::int32_t sum) {
  *to = sum;
}
__device__ inline void store(Bfloat16* to, float sum) {
  *to = __float2bfloat16_rn(sum);
}
__device__ inline void store(Float16* to, float sum) {
  *to = __float2half_rn(sum);
}

#endif

/// Of<In, Out>::plan() for the C++ types of a pair of 16 bits, to the same or to float32; an empty plan for others.
template <template <typename, typename> class Of>
TypedPlan of_16_bits(const GemmTypes& types) {
  const bool wide = types.result == ElementType::kFloat32;
  if (types.type == ElementType::kBfloat16)
    return wide ? Of<Bfloat16, float>::plan() : Of<Bfloat16, Bfloat16>::plan();
  if (types.type == ElementType::kFloat16)
    return wide ? Of<Float16, float>::plan() : Of<Float16, Float16>::plan();
  return {};
}

}  // namespace gemmlab::gpu::tensor_core
