#pragma once

// CUDA's numbers for types and what cuBLAS computes in, which a program without CUDA's headers need not have.

#include <cstdint>
#include <optional>

#include "core/element_type.h"

namespace gemmlab::blas {

constexpr int kReal32F = 0;         // CUDA_R_32F
constexpr int kReal32I = 10;        // CUDA_R_32I
constexpr int kComputeFloat = 68;   // CUBLAS_COMPUTE_32F
constexpr int kComputeInt = 72;     // CUBLAS_COMPUTE_32I
constexpr int kPointersOnHost = 0;  // CUBLAS_POINTER_MODE_HOST
constexpr int kLastTranspose = 2;   // CUBLAS_OP_C, after CUBLAS_OP_N and CUBLAS_OP_T

/// None for what is not multiplied here.
inline std::optional<ElementType> element_type(int cuda_type) {
  switch (cuda_type) {
    case kReal32F:
      return ElementType::kFloat32;
    case 2:  // CUDA_R_16F
      return ElementType::kFloat16;
    case 3:  // CUDA_R_8I
      return ElementType::kInt8;
    case kReal32I:
      return ElementType::kInt32;
    case 14:  // CUDA_R_16BF
      return ElementType::kBfloat16;
    case 28:  // CUDA_R_8F_E4M3
      return ElementType::kFloat8E4m3;
    case 29:  // CUDA_R_8F_E5M2
      return ElementType::kFloat8E5m2;
    default:
      return std::nullopt;
  }
}

/// A factor on the host, of int32 or float.
inline float factor(const void* at, bool is_int) {
  return is_int ? static_cast<float>(*static_cast<const std::int32_t*>(at)) : *static_cast<const float*>(at);
}

}  // namespace gemmlab::blas
