#include "gpu/gemm/matrix_tuned/tuned_plans.h"

namespace gemmlab::gpu::tensor_core {

std::vector<WgmmaPlan> int8_plans() {
  return {tuned<RingPlan<StagedTile<Int8, 128, 256, 4, false>, 2, false, 1>>("128x256"),
          tuned<RingPlan<StagedTile<Int8, 128, 128, 6, false>, 2, true, 2>>("128x128 in turn, pair"),
          tuned<RingPlan<StagedTile<Int8, 64, 128, 4, false>, 1, false, 2>>("64x128, pair"),
          tuned<RingPlan<StagedTile<Int8, 64, 128, 4, false>, 1, false, 1>>("64x128")};
}

}  // namespace gemmlab::gpu::tensor_core
