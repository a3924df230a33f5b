// cblas_sgemv of each library.

#include "cpu/libraries/blas.h"

namespace gemmlab::cpu {
namespace {

using Function = void(int order, int transpose, int m, int n, float alpha, const float* a, int lda,
                      const float* x, int x_step, float beta, float* y, int y_step);

void run(void* function, const Instance& instance, const Operands& operands) {
  const int m = static_cast<int>(instance.dims[0]);
  const int n = static_cast<int>(instance.dims[1]);
  const bool transposed = std::get<std::int64_t>(instance.option("transpose_a")) != 0;
  reinterpret_cast<Function*>(function)(kCblasRowMajor, transposed ? kCblasTranspose : kCblasNoTranspose, m,
                                        n, 1.0F, operands.in<float>(0), n, operands.in<float>(1), 1, 0.0F,
                                        operands.out<float>(2), 1);
}

constexpr BlasCall kCall = {
    .operation = "gemv", .function = "cblas_sgemv", .counterpart = "gpu.cublas_gemv", .run = run};

}  // namespace

const Implementation& openblas_gemv() {
  static const BlasImplementation row(openblas_blas(), kCall);
  return row;
}
const Implementation& blis_gemv() {
  static const BlasImplementation row(blis_blas(), kCall);
  return row;
}
const Implementation& mkl_gemv() {
  static const BlasImplementation row(mkl_blas(), kCall);
  return row;
}

}  // namespace gemmlab::cpu
