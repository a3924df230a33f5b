#include "gpu/cublas_session.h"

#include <stdexcept>

#include "gpu/cublas_library.h"
#include "gpu/device.h"
#include "gpu/session.h"
#include "gpu/stream.h"
#include "gpu/table.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define GEMMLAB_HAS_CUBLAS 1
#else
#define GEMMLAB_HAS_CUBLAS 0
#endif

namespace gemmlab::gpu {
namespace {

#if GEMMLAB_HAS_CUBLAS

/// cublasGemmEx as the library exports it; the header overloads it in C++.
using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                              const void*, const void*, cudaDataType, int, const void*, cudaDataType, int,
                              const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);

/// What cuBLAS is told, and by what name it is recorded.
struct Mode {
  cublasMath_t math;
  cublasComputeType_t compute;  ///< of cublasGemmEx
  const char* name;
};

Mode mode_of(CublasArithmetic arithmetic) {
  switch (arithmetic) {
    case CublasArithmetic::kDefault:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_DEFAULT_MATH"};
    case CublasArithmetic::kPedantic:
      return {CUBLAS_PEDANTIC_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_PEDANTIC_MATH"};
    case CublasArithmetic::kTf32:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F_FAST_TF32, "CUBLAS_COMPUTE_32F_FAST_TF32"};
    case CublasArithmetic::kFp16:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F_FAST_16F, "CUBLAS_COMPUTE_32F_FAST_16F"};
    case CublasArithmetic::kBf16:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F_FAST_16BF, "CUBLAS_COMPUTE_32F_FAST_16BF"};
  }
  throw std::invalid_argument("no arithmetic of cuBLAS");
}

/// C = A·B by cublasSgemm or cublasGemmEx. Row-major C is column-major Cᵀ = Bᵀ·Aᵀ: the operands change
/// places, nothing is moved.
class CublasSession : public Session {
 public:
  CublasSession(const Shape& shape, CublasArithmetic arithmetic)
      : shape_(shape), mode_(mode_of(arithmetic)), workspace_(kWorkspaceBytes) {
    check(function<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle_), "cublasCreate");
    try {
      check(function<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle_, current_stream()),
            "cublasSetStream");
      // a workspace of its own: the one that cuBLAS would allocate cannot be captured into a graph. Setting
      // the stream gives it up, so this comes after.
      check(function<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle_, workspace_.data(),
                                                                               workspace_.bytes()),
            "cublasSetWorkspace");
      check(function<decltype(cublasSetMathMode)>("cublasSetMathMode")(handle_, mode_.math),
            "cublasSetMathMode");
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~CublasSession() override { destroy(); }
  CublasSession(const CublasSession&) = delete;
  CublasSession& operator=(const CublasSession&) = delete;

  void multiply(const float* a, const float* b, float* c) override {
    const float one = 1;
    const float zero = 0;
    const int m = static_cast<int>(shape_.m);
    const int n = static_cast<int>(shape_.n);
    const int k = static_cast<int>(shape_.k);
    if (mode_.compute == CUBLAS_COMPUTE_32F) {
      check(sgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n), "cublasSgemm");
    } else {
      check(gemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_32F, n, a, CUDA_R_32F, k, &zero,
                  c, CUDA_R_32F, n, mode_.compute, CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
    }
  }

  Facts chosen() const override {
    int version = 0;
    check(function<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &version),
          "cublasGetVersion");
    return {{"library", cublas_library().path()},
            {"version", library_version(version)},
            {"math", std::string(mode_.name)},
            {"workspace_bytes", static_cast<std::int64_t>(workspace_.bytes())}};
  }

 private:
  // What NVIDIA recommends for Hopper and later, and what PyTorch gives: the size may decide which algorithm
  // runs.
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

  template <typename Function>
  static Function* function(const char* name) {
    return cublas_library().function<Function>(name);
  }
  static void check(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw std::runtime_error(std::string(call) + " answered cublasStatus " + std::to_string(status));
  }
  void destroy() { function<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle_); }

  Shape shape_;
  Mode mode_;
  DeviceMemory workspace_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasSgemm_v2)* sgemm_ = function<decltype(cublasSgemm_v2)>("cublasSgemm_v2");
  GemmEx* gemm_ = function<GemmEx>("cublasGemmEx");
};

std::string missing() {
  return cublas_library().why();
}
std::unique_ptr<Session> make_session(const Shape& shape, CublasArithmetic arithmetic) {
  return std::make_unique<CublasSession>(shape, arithmetic);
}

#else

std::string missing() {
  return "built without cublas_v2.h";
}
std::unique_ptr<Session> make_session(const Shape&, CublasArithmetic) {
  throw std::runtime_error(missing());
}

#endif

}  // namespace

std::string CublasImplementation::unavailable() const {
  if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
  return GEMMLAB_HAS_CUBLAS && cublas_library().found() ? std::string() : missing();
}

std::string CublasImplementation::why_not(const Shape& shape, const Parameters&) const {
  return too_long(shape);
}

std::unique_ptr<Session> CublasImplementation::prepare(const Shape& shape,
                                                       const Parameters& parameters) const {
  return make_session(shape, choose_(parameters));
}

}  // namespace gemmlab::gpu
