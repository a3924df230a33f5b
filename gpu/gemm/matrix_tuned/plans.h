#pragma once

// The kernels among which gpu.matrix_tuned chooses, a file for each type of A and B.

#include <vector>

#include "gpu/gemm/wgmma/row.h"

namespace gemmlab::gpu::tensor_core {

/// In the order in which they are tried; empty where types are not multiplied. `transpose_b`: B is stored as (N, K).
std::vector<WgmmaPlan> bfloat16_plans(const GemmTypes& types, bool transpose_b);
std::vector<WgmmaPlan> float16_plans(const GemmTypes& types, bool transpose_b);
std::vector<WgmmaPlan> float8_e4m3_plans(const GemmTypes& types);
std::vector<WgmmaPlan> float8_e5m2_plans(const GemmTypes& types);
std::vector<WgmmaPlan> int8_plans();

}  // namespace gemmlab::gpu::tensor_core
