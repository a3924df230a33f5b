#pragma once

// What tiles in parts become: the sums of all parts of their terms, rounded once.

#include "gpu/gemm/wgmma/arguments.h"

namespace gemmlab::gpu::tensor_core {

/// C's tiles from work.whole on, of BM×BN for each of `cluster` blocks, out of work.parts: float, int32 where C is. To be launched
/// behind the kernel that wrote them, which lets it come up early.
void launch_add_parts(const Arguments& work, int BM, int BN, int cluster);

}  // namespace gemmlab::gpu::tensor_core
