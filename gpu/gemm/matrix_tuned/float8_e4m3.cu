#include "gpu/gemm/matrix_tuned/tuned_plans.h"

namespace gemmlab::gpu::tensor_core {

std::vector<WgmmaPlan> float8_e4m3_plans(const GemmTypes&) {
  return plans_of_float8<Float8E4m3>();
}

}  // namespace gemmlab::gpu::tensor_core
