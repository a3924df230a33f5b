#pragma once

// A handle of cuBLAS, for files that call it. GEMMLAB_HAS_CUBLAS: was cublas_v2.h there when this was built?

#include <cstddef>
#include <string>

#include "core/implementation.h"
#include "gpu/device/device.h"
#include "gpu/libraries/cublas_library.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define GEMMLAB_HAS_CUBLAS 1
#else
#define GEMMLAB_HAS_CUBLAS 0
#endif

namespace gemmlab::gpu {

/// Why cuBLAS cannot be used here; empty where it can.
std::string why_no_cublas();

#if GEMMLAB_HAS_CUBLAS

/// A function of cuBLAS under its exported name.
template <typename Function>
Function* cublas_function(const char* name) {
  return cublas_library().function<Function>(name);
}

/// cublasGemmEx as the library exports it; the header overloads it in C++.
using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                              const void*, const void*, cudaDataType, int, const void*, cudaDataType, int,
                              const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);

/// A handle in the current stream, with a workspace of its own: what cuBLAS would allocate cannot be captured
/// into a graph.
class CublasContext {
 public:
  CublasContext();
  ~CublasContext();
  CublasContext(const CublasContext&) = delete;
  CublasContext& operator=(const CublasContext&) = delete;

  cublasHandle_t handle() const { return handle_; }
  std::int64_t workspace_bytes() const { return static_cast<std::int64_t>(workspace_.bytes()); }
  /// Of the library: its file and its version.
  Facts facts() const;

 private:
  /// What NVIDIA recommends for Hopper and later, and what PyTorch gives: the size may decide
  /// which algorithm runs.
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

  void destroy();

  DeviceMemory workspace_;
  cublasHandle_t handle_ = nullptr;
};

#endif

}  // namespace gemmlab::gpu
