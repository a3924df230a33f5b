// C = A·B on several cards as multi.cpp does it, each block by the tensor cores to FP32's accuracy (tensor.cu). Splitting A
// and B into 16-bit parts is done anew for each block.

#include "gpu/describe.h"
#include "gpu/gemm/multi/implementation.h"
#include "gpu/gemm/tensor.h"

namespace gemmlab::gpu {

const Implementation& multi_tensor() {
  static const MultiImplementation implementation(
      describe({.id = "gpu.multi_tensor",
                .summary = "several cards: as multi, the product by tensor",
                .source = "R. van de Geijn and J. Watts, SUMMA (1997); Ootomo and Yokota, Recovering single "
                          "precision accuracy from Tensor Cores (2022)",
                .precision = Precision::kFp32Split}),
      static_cast<const GemmImplementation&>(tensor()));
  return implementation;
}

}  // namespace gemmlab::gpu
