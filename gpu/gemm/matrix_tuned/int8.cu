#include "gpu/gemm/matrix_tuned/tuned_plans.h"

namespace gemmlab::gpu::tensor_core {

std::vector<WgmmaPlan> int8_plans() {
  return full_plans<Int8, false>();
}

}  // namespace gemmlab::gpu::tensor_core
