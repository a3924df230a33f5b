// cblas_saxpy of each library.

#include "cpu/libraries/blas.h"
#include "operations/vectors.h"

namespace gemmlab::cpu {
namespace {

using Function = void(int n, float alpha, const float* x, int x_step, float* y, int y_step);

void run(void* function, const Instance& instance, const Operands& operands) {
  reinterpret_cast<Function*>(function)(static_cast<int>(instance.dims[0]), factor(instance, "alpha"),
                                        operands.in<float>(0), 1, operands.out<float>(1), 1);
}

constexpr BlasCall kCall = {
    .operation = "axpy", .function = "cblas_saxpy", .counterpart = "gpu.cublas_axpy", .run = run};

}  // namespace

const Implementation& openblas_axpy() {
  static const BlasImplementation row(openblas_blas(), kCall);
  return row;
}
const Implementation& blis_axpy() {
  static const BlasImplementation row(blis_blas(), kCall);
  return row;
}
const Implementation& mkl_axpy() {
  static const BlasImplementation row(mkl_blas(), kCall);
  return row;
}

}  // namespace gemmlab::cpu
