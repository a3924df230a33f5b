#include <memory>
#include <stdexcept>

#include "gpu/cublas_library.h"
#include "gpu/describe.h"
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

Description cublas_description() {
  Description description =
      describe("gpu.cublas", "cuBLAS' cublasSgemm in plain FP32, its own choice of kernel",
               "NVIDIA cuBLAS, opened at run time", "cpu.openblas");
  description.reference = true;
  return description;
}

#if GEMMLAB_HAS_CUBLAS

/// C = A·B by cublasSgemm. Row-major C is column-major Cᵀ = Bᵀ·Aᵀ: the operands change places, nothing is
/// moved.
class CublasSession : public Session {
 public:
  explicit CublasSession(const Shape& shape) : shape_(shape), workspace_(kWorkspaceBytes) {
    check(function<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle_), "cublasCreate");
    try {
      check(function<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle_, current_stream()),
            "cublasSetStream");
      // a workspace of its own: the one that cuBLAS would allocate cannot be captured into a graph. Setting
      // the stream gives it up, so this comes after.
      check(function<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle_, workspace_.data(),
                                                                               workspace_.bytes()),
            "cublasSetWorkspace");
      check(function<decltype(cublasSetMathMode)>("cublasSetMathMode")(handle_, CUBLAS_DEFAULT_MATH),
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
    check(sgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n), "cublasSgemm");
  }

  Facts chosen() const override {
    int version = 0;
    check(function<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &version),
          "cublasGetVersion");
    return {{"library", cublas_library().path()},
            {"version", library_version(version)},
            {"math", std::string("CUBLAS_DEFAULT_MATH")},
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
  DeviceMemory workspace_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasSgemm_v2)* sgemm_ = function<decltype(cublasSgemm_v2)>("cublasSgemm_v2");
};

std::string missing() {
  return cublas_library().why();
}
std::unique_ptr<Session> make_session(const Shape& shape) {
  return std::make_unique<CublasSession>(shape);
}

#else

std::string missing() {
  return "built without cublas_v2.h";
}
std::unique_ptr<Session> make_session(const Shape&) {
  throw std::runtime_error(missing());
}

#endif

class Cublas : public Implementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override {
    if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
    return GEMMLAB_HAS_CUBLAS && cublas_library().found() ? std::string() : missing();
  }
  std::string why_not(const Shape& shape, const Parameters&) const override { return too_long(shape); }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters&) const override {
    return make_session(shape);
  }

 private:
  Description description_ = cublas_description();
};

}  // namespace

const Implementation& cublas() {
  static const Cublas implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
