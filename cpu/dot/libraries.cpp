// cblas_sdot of each library.

#include "cpu/libraries/blas.h"

namespace gemmlab::cpu {
namespace {

using Function = float(int n, const float* x, int x_step, const float* y, int y_step);

void run(void* function, const Instance& instance, const Operands& operands) {
  operands.out<float>(2)[0] = reinterpret_cast<Function*>(function)(
      static_cast<int>(instance.dims[0]), operands.in<float>(0), 1, operands.in<float>(1), 1);
}

constexpr BlasCall kCall = {
    .operation = "dot", .function = "cblas_sdot", .counterpart = "gpu.cublas_dot", .run = run};

}  // namespace

const Implementation& openblas_dot() {
  static const BlasImplementation row(openblas_blas(), kCall);
  return row;
}
const Implementation& blis_dot() {
  static const BlasImplementation row(blis_blas(), kCall);
  return row;
}
const Implementation& mkl_dot() {
  static const BlasImplementation row(mkl_blas(), kCall);
  return row;
}

}  // namespace gemmlab::cpu
