#include "gpu/libraries/cublas_row.h"

namespace gemmlab::gpu {

const Implementation& cublas_dot() {
  static const CublasCall row("dot", "cublasSdot, the result on the device", "cpu.openblas_dot",
                              [](Cublas& cublas, const Instance& instance, const Operands& operands) {
                                cublas.dot(instance.dims[0], operands.in<float>(0), operands.in<float>(1),
                                           operands.out<float>(2));
                              });
  return row;
}

}  // namespace gemmlab::gpu
