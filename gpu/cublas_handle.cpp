#include "gpu/cublas_handle.h"

#include <stdexcept>

#include "gpu/cublas_library.h"
#include "gpu/device.h"
#include "gpu/stream.h"
#include "gpu/table.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define GEMMLAB_HAS_CUBLAS 1
#else
#define GEMMLAB_HAS_CUBLAS 0
#endif

namespace gemmlab::gpu {

#if GEMMLAB_HAS_CUBLAS

namespace {

template <typename Function>
Function* function(const char* name) {
  return cublas_library().function<Function>(name);
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " answered cublasStatus " + std::to_string(status));
}

class CublasHandle : public Cublas {
 public:
  CublasHandle() : workspace_(kWorkspaceBytes) {
    check(function<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle_), "cublasCreate");
    try {
      check(function<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle_, current_stream()),
            "cublasSetStream");
      // of its own: what cuBLAS would allocate cannot be captured into a graph
      check(function<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle_, workspace_.data(),
                                                                               workspace_.bytes()),
            "cublasSetWorkspace");
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~CublasHandle() override { destroy(); }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  /// With the result on the device: cuBLAS would otherwise wait for it.
  void dot(std::int64_t n, const float* x, const float* y, float* result) override {
    point_at(CUBLAS_POINTER_MODE_DEVICE);
    check(dot_(handle_, static_cast<int>(n), x, 1, y, 1, result), "cublasSdot");
  }
  void axpy(std::int64_t n, float alpha, const float* x, float* y) override {
    point_at(CUBLAS_POINTER_MODE_HOST);
    check(axpy_(handle_, static_cast<int>(n), &alpha, x, 1, y, 1), "cublasSaxpy");
  }
  /// Row-major A is column-major Aᵀ, so that the two forms change places.
  void gemv(bool transposed, std::int64_t m, std::int64_t n, const float* A, const float* x,
            float* y) override {
    point_at(CUBLAS_POINTER_MODE_HOST);
    const float one = 1;
    const float zero = 0;
    const auto rows = static_cast<int>(n);
    const auto cols = static_cast<int>(m);
    check(
        gemv_(handle_, transposed ? CUBLAS_OP_N : CUBLAS_OP_T, rows, cols, &one, A, rows, x, 1, &zero, y, 1),
        "cublasSgemv");
  }
  Facts chosen() const override {
    int version = 0;
    check(function<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &version),
          "cublasGetVersion");
    return {{"library", cublas_library().path()}, {"version", library_version(version)}};
  }

 private:
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // what NVIDIA recommends for Hopper

  void point_at(cublasPointerMode_t mode) { check(set_pointer_mode_(handle_, mode), "cublasSetPointerMode"); }
  void destroy() { function<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle_); }

  DeviceMemory workspace_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasSetPointerMode_v2)* set_pointer_mode_ =
      function<decltype(cublasSetPointerMode_v2)>("cublasSetPointerMode_v2");
  decltype(cublasSdot_v2)* dot_ = function<decltype(cublasSdot_v2)>("cublasSdot_v2");
  decltype(cublasSaxpy_v2)* axpy_ = function<decltype(cublasSaxpy_v2)>("cublasSaxpy_v2");
  decltype(cublasSgemv_v2)* gemv_ = function<decltype(cublasSgemv_v2)>("cublasSgemv_v2");
};

}  // namespace

std::unique_ptr<Cublas> make_cublas() {
  return std::make_unique<CublasHandle>();
}

std::string why_no_cublas() {
  if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
  return cublas_library().found() ? std::string() : cublas_library().why();
}

#else

std::unique_ptr<Cublas> make_cublas() {
  throw std::runtime_error(why_no_cublas());
}

std::string why_no_cublas() {
  return "built without cublas_v2.h";
}

#endif

}  // namespace gemmlab::gpu
