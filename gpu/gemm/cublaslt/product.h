#pragma once

// A product as cublasLt is told of it, and its names for what it runs. GEMMLAB_HAS_CUBLASLT: was cublasLt.h
// there when this was built?

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/libraries/cublas_library.h"
#include "operations/gemm/form.h"
#include "operations/gemm/types.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define GEMMLAB_HAS_CUBLASLT 1
#else
#define GEMMLAB_HAS_CUBLASLT 0
#endif

#if GEMMLAB_HAS_CUBLASLT

namespace gemmlab::gpu {

inline constexpr std::size_t kLtWorkspaceBytes = std::size_t{64} << 20;

template <typename Function>
Function* lt_function(const char* name) {
  return cublaslt_library().function<Function>(name);
}
/// The function of the library under its own name; the header's prototype gives its type.
#define GEMMLAB_LT(name) lt_function<decltype(::name)>(#name)

/// Throws std::invalid_argument for a type that cuBLAS has no name for.
inline cudaDataType cuda_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return CUDA_R_32F;
    case ElementType::kBfloat16:
      return CUDA_R_16BF;
    case ElementType::kFloat16:
      return CUDA_R_16F;
    case ElementType::kFloat8E4m3:
      return CUDA_R_8F_E4M3;
    case ElementType::kFloat8E5m2:
      return CUDA_R_8F_E5M2;
    case ElementType::kInt8:
      return CUDA_R_8I;
    case ElementType::kInt32:
      return CUDA_R_32I;
    default:
      throw std::invalid_argument(std::string("cuBLAS multiplies no ") + to_string(type));
  }
}

/// What cublasLtMatmul is told of a product. Row-major C is column-major Cᵀ = op(B)ᵀ·op(A)ᵀ: the
/// operands change places.
class LtProduct {
 public:
  LtProduct(const Shape& shape, const GemmForm& form, const GemmTypes& types = {})
      : whole_(is_integer(types.type)), narrow_(types.narrow_result()), alpha_(form.alpha), beta_(form.beta) {
    check_cublas(GEMMLAB_LT(cublasLtCreate)(&handle_), "cublasLtCreate");
    check_cublas(
        GEMMLAB_LT(cublasLtMatmulDescCreate)(&product_, whole_ ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F,
                                             whole_ ? CUDA_R_32I : CUDA_R_32F),
        "cublasLtMatmulDescCreate");
    const auto transpose = [&](cublasLtMatmulDescAttributes_t of, bool transposed) {
      const cublasOperation_t how = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
      check_cublas(GEMMLAB_LT(cublasLtMatmulDescSetAttribute)(product_, of, &how, sizeof(how)),
                   "cublasLtMatmulDescSetAttribute");
    };
    transpose(CUBLASLT_MATMUL_DESC_TRANSA, form.transpose_b);
    transpose(CUBLASLT_MATMUL_DESC_TRANSB, form.transpose_a);
    // columns there are rows here
    const auto layout = [](cublasLtMatrixLayout_t* to, ElementType type, const StoredMatrix& matrix) {
      check_cublas(GEMMLAB_LT(cublasLtMatrixLayoutCreate)(to, cuda_type(type), matrix.cols, matrix.rows,
                                                          matrix.stride),
                   "cublasLtMatrixLayoutCreate");
    };
    layout(&b_, types.type, stored_b(shape, form));
    layout(&a_, types.type, stored_a(shape, form));
    layout(&c_, types.result, stored_c(shape, form));
  }
  ~LtProduct() {
    for (auto layout : {a_, b_, c_}) {
      if (layout) GEMMLAB_LT(cublasLtMatrixLayoutDestroy)(layout);
    }
    if (product_) GEMMLAB_LT(cublasLtMatmulDescDestroy)(product_);
    if (handle_) GEMMLAB_LT(cublasLtDestroy)(handle_);
  }
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;

  /// Algorithms in the order of the library's own estimate, for pointers at multiples of `alignment` bytes. Throws where
  /// there is none.
  std::vector<cublasLtMatmulHeuristicResult_t> candidates(std::uint32_t alignment, int most) const {
    auto results = candidates_or_none(alignment, most);
    if (results.empty())
      throw std::runtime_error("cublasLtMatmulAlgoGetHeuristic: no algorithm for this shape");
    return results;
  }
  std::vector<cublasLtMatmulHeuristicResult_t> candidates_or_none(std::uint32_t alignment, int most) const {
    cublasLtMatmulPreference_t preference = nullptr;
    check_cublas(GEMMLAB_LT(cublasLtMatmulPreferenceCreate)(&preference), "cublasLtMatmulPreferenceCreate");
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      check_cublas(
          GEMMLAB_LT(cublasLtMatmulPreferenceSetAttribute)(preference, attribute, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kLtWorkspaceBytes});
    // else parts of a sum may be added up in C's 16 bits, and a result be rounded more than once
    if (narrow_)
      set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    for (auto operand :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      set(operand, alignment);
    }
    std::vector<cublasLtMatmulHeuristicResult_t> results(most);
    int count = 0;
    const cublasStatus_t status = GEMMLAB_LT(cublasLtMatmulAlgoGetHeuristic)(
        handle_, product_, b_, a_, c_, c_, preference, most, results.data(), &count);
    GEMMLAB_LT(cublasLtMatmulPreferenceDestroy)(preference);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
    check_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
    results.resize(count);
    const auto failed = [](const auto& result) { return result.state != CUBLAS_STATUS_SUCCESS; };
    results.erase(std::remove_if(results.begin(), results.end(), failed), results.end());
    return results;
  }

  cublasStatus_t multiply(const void* a, const void* b, void* c, const cublasLtMatmulAlgo_t& algorithm,
                          const DeviceMemory& workspace) const {
    static constexpr std::int32_t kOne = 1;
    static constexpr std::int32_t kZero = 0;
    const void* alpha = whole_ ? static_cast<const void*>(&kOne) : &alpha_;
    const void* beta = whole_ ? static_cast<const void*>(&kZero) : &beta_;
    return matmul_(handle_, product_, alpha, b, b_, a, a_, beta, c, c_, c, c_, &algorithm, workspace.data(),
                   workspace.bytes(), current_stream());
  }

 private:
  bool whole_;   // alpha and beta are int32, 1 and 0
  bool narrow_;  // C holds less than a sum
  float alpha_;
  float beta_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t c_ = nullptr;
  decltype(cublasLtMatmul)* matmul_ = GEMMLAB_LT(cublasLtMatmul);
};

/// A tile's shape by its number in cublasLtMatmulTile_t, for those that FP32 kernels use; else the number.
inline std::string tile_name(std::uint32_t id) {
  switch (id) {
#define GEMMLAB_TILE(size)          \
  case CUBLASLT_MATMUL_TILE_##size: \
    return #size;
    GEMMLAB_TILE(16x16)
    GEMMLAB_TILE(16x32)
    GEMMLAB_TILE(32x16)
    GEMMLAB_TILE(32x32)
    GEMMLAB_TILE(32x64)
    GEMMLAB_TILE(64x32)
    GEMMLAB_TILE(32x128)
    GEMMLAB_TILE(64x64)
    GEMMLAB_TILE(128x32)
    GEMMLAB_TILE(64x128)
    GEMMLAB_TILE(128x64)
    GEMMLAB_TILE(64x256)
    GEMMLAB_TILE(128x128)
    GEMMLAB_TILE(256x64)
    GEMMLAB_TILE(128x256)
    GEMMLAB_TILE(256x128)
#undef GEMMLAB_TILE
    default:
      return "tile " + std::to_string(id);
  }
}

}  // namespace gemmlab::gpu

#endif
