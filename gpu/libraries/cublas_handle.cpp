#include "gpu/libraries/cublas_handle.h"

#include <stdexcept>

#include "gpu/libraries/cublas_context.h"

namespace gemmlab::gpu {

#if GEMMLAB_HAS_CUBLAS

namespace {

class CublasHandle : public Cublas {
 public:
  /// With the result on the device: cuBLAS would otherwise wait for it.
  void dot(std::int64_t n, const float* x, const float* y, float* result) override {
    point_at(CUBLAS_POINTER_MODE_DEVICE);
    check_cublas(dot_(handle_, static_cast<int>(n), x, 1, y, 1, result), "cublasSdot");
  }
  void axpy(std::int64_t n, float alpha, const float* x, float* y) override {
    point_at(CUBLAS_POINTER_MODE_HOST);
    check_cublas(axpy_(handle_, static_cast<int>(n), &alpha, x, 1, y, 1), "cublasSaxpy");
  }
  /// Row-major A is column-major Aᵀ, so that the two forms change places.
  void gemv(bool transposed, std::int64_t m, std::int64_t n, const float* A, const float* x,
            float* y) override {
    point_at(CUBLAS_POINTER_MODE_HOST);
    const float one = 1;
    const float zero = 0;
    const auto rows = static_cast<int>(n);
    const auto cols = static_cast<int>(m);
    check_cublas(
        gemv_(handle_, transposed ? CUBLAS_OP_N : CUBLAS_OP_T, rows, cols, &one, A, rows, x, 1, &zero, y, 1),
        "cublasSgemv");
  }
  Facts chosen() const override { return context_.facts(); }

 private:
  void point_at(cublasPointerMode_t mode) {
    check_cublas(set_pointer_mode_(handle_, mode), "cublasSetPointerMode");
  }

  CublasContext context_;
  cublasHandle_t handle_ = context_.handle();
  decltype(cublasSetPointerMode_v2)* set_pointer_mode_ =
      cublas_function<decltype(cublasSetPointerMode_v2)>("cublasSetPointerMode_v2");
  decltype(cublasSdot_v2)* dot_ = cublas_function<decltype(cublasSdot_v2)>("cublasSdot_v2");
  decltype(cublasSaxpy_v2)* axpy_ = cublas_function<decltype(cublasSaxpy_v2)>("cublasSaxpy_v2");
  decltype(cublasSgemv_v2)* gemv_ = cublas_function<decltype(cublasSgemv_v2)>("cublasSgemv_v2");
};

}  // namespace

std::unique_ptr<Cublas> make_cublas() {
  return std::make_unique<CublasHandle>();
}

#else

std::unique_ptr<Cublas> make_cublas() {
  throw std::runtime_error(why_no_cublas());
}

#endif

}  // namespace gemmlab::gpu
