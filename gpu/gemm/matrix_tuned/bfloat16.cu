#include "gpu/gemm/matrix_tuned/tuned_plans.h"

namespace gemmlab::gpu::tensor_core {

std::vector<WgmmaPlan> bfloat16_plans(const GemmTypes& types, bool transpose_b) {
  return plans_of_16_bits<Bfloat16>(types, transpose_b);
}

}  // namespace gemmlab::gpu::tensor_core
