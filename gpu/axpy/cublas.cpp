#include "gpu/libraries/cublas_row.h"
#include "operations/vectors.h"

namespace gemmlab::gpu {

const Implementation& cublas_axpy() {
  static const CublasCall row("axpy", "cublasSaxpy", "cpu.openblas_axpy",
                              [](Cublas& cublas, const Instance& instance, const Operands& operands) {
                                cublas.axpy(instance.dims[0], factor(instance, "alpha"),
                                            operands.in<float>(0), operands.out<float>(1));
                              });
  return row;
}

}  // namespace gemmlab::gpu
