#include "gpu/gemm/cublas_session.h"

#include <optional>
#include <stdexcept>

#include "gpu/cublas_library.h"
#include "gpu/device.h"
#include "gpu/gemm/narrow.h"
#include "gpu/gemm/session.h"
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
  cudaDataType operands = CUDA_R_32F;
  const char* operands_name = "CUDA_R_32F";
  std::optional<Narrow> narrow = {};  ///< what A and B are converted to
};

Mode mode_of(CublasArithmetic arithmetic) {
  switch (arithmetic) {
    case CublasArithmetic::kDefault:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_DEFAULT_MATH"};
    case CublasArithmetic::kPedantic:
      return {CUBLAS_PEDANTIC_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_PEDANTIC_MATH"};
    case CublasArithmetic::kTf32:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F_FAST_TF32, "CUBLAS_COMPUTE_32F_FAST_TF32"};
    // A compute type such as CUBLAS_COMPUTE_32F_FAST_16F on float32 buffers only permits rounding;
    // cuBLAS 13.1 runs its TF32 kernel for it. So the operands themselves are of 16 bits.
    case CublasArithmetic::kFp16:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_COMPUTE_32F",
              CUDA_R_16F,          "CUDA_R_16F",       Narrow::kFp16};
    case CublasArithmetic::kBf16:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_COMPUTE_32F",
              CUDA_R_16BF,         "CUDA_R_16BF",      Narrow::kBf16};
  }
  throw std::invalid_argument("no arithmetic of cuBLAS");
}

/// C = A·B by cublasSgemm or cublasGemmEx. Row-major C is column-major Cᵀ = Bᵀ·Aᵀ: the operands change
/// places, nothing is moved.
class CublasSession : public GemmSession {
 public:
  CublasSession(const Shape& shape, const CublasChoice& choice)
      : shape_(shape),
        mode_(mode_of(choice.arithmetic)),
        resident_(choice.operands_resident),
        workspace_(kWorkspaceBytes) {
    if (mode_.narrow) narrow_.emplace(shape, *mode_.narrow, resident_);
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

  void stage(const std::vector<OperandPair>& pairs) override {
    if (narrow_) narrow_->stage(pairs);
  }

  void multiply(const float* a, const float* b, float* c) override {
    if (narrow_) {
      const NarrowOperands::Pair operands = narrow_->of(a, b);
      gemm(operands.a, static_cast<int>(narrow_row(shape_.k)), operands.b,
           static_cast<int>(narrow_row(shape_.n)), c);
    } else if (mode_.compute == CUBLAS_COMPUTE_32F) {
      const float one = 1;
      const float zero = 0;
      check(sgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n_, m_, k_, &one, b, n_, a, k_, &zero, c, n_),
            "cublasSgemm");
    } else {
      gemm(a, k_, b, n_, c);
    }
  }

  Facts chosen() const override {
    int version = 0;
    check(function<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &version),
          "cublasGetVersion");
    Facts facts = {{"library", cublas_library().path()},
                   {"version", library_version(version)},
                   {"math", std::string(mode_.name)},
                   {"operand_type", std::string(mode_.operands_name)},
                   {"workspace_bytes", static_cast<std::int64_t>(workspace_.bytes())}};
    if (narrow_) {
      facts["conversion"] = std::string(resident_ ? "before the clock, not counted" : "in every multiply");
      facts["converted_bytes"] = narrow_->bytes();
    }
    return facts;
  }

 private:
  /// cublasGemmEx on operands of mode_'s type whose rows lie `a_row` and `b_row` elements apart.
  void gemm(const void* a, int a_row, const void* b, int b_row, float* c) {
    const float one = 1;
    const float zero = 0;
    check(gemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n_, m_, k_, &one, b, mode_.operands, b_row, a,
                mode_.operands, a_row, &zero, c, CUDA_R_32F, n_, mode_.compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

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
  int m_ = static_cast<int>(shape_.m);
  int n_ = static_cast<int>(shape_.n);
  int k_ = static_cast<int>(shape_.k);
  Mode mode_;
  bool resident_;
  DeviceMemory workspace_;
  std::optional<NarrowOperands> narrow_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasSgemm_v2)* sgemm_ = function<decltype(cublasSgemm_v2)>("cublasSgemm_v2");
  GemmEx* gemm_ = function<GemmEx>("cublasGemmEx");
};

std::string missing() {
  return cublas_library().why();
}
std::unique_ptr<Session> make_session(const Shape& shape, const CublasChoice& choice) {
  return std::make_unique<CublasSession>(shape, choice);
}

#else

std::string missing() {
  return "built without cublas_v2.h";
}
std::unique_ptr<Session> make_session(const Shape&, const CublasChoice&) {
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
