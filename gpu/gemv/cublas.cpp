#include "gpu/libraries/cublas_row.h"

namespace gemmlab::gpu {

const Implementation& cublas_gemv() {
  static const CublasCall row(
      "gemv", "cublasSgemv", "cpu.openblas_gemv",
      [](Cublas& cublas, const Instance& instance, const Operands& operands) {
        const bool transposed = std::get<std::int64_t>(instance.option("transpose_a")) != 0;
        cublas.gemv(transposed, instance.dims[0], instance.dims[1], operands.in<float>(0),
                    operands.in<float>(1), operands.out<float>(2));
      });
  return row;
}

}  // namespace gemmlab::gpu
