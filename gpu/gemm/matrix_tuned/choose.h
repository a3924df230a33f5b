#pragma once

// Which of its kernels gpu.matrix_tuned launches at a shape, and into how many parts it splits K.

#include <vector>

#include "gpu/gemm/wgmma/row.h"

namespace gemmlab::gpu::tensor_core {

/// The plan and the split that take the least time by an estimate of it, for the shape on so many multiprocessors; `splits`
/// and `kernel`, a plan's name, leave no choice where they are not 0 and not empty. `plans` is not empty.
WgmmaChoice choose(const std::vector<WgmmaPlan>& plans, const WgmmaAsked& asked, const std::string& kernel,
                   int splits);

}  // namespace gemmlab::gpu::tensor_core
