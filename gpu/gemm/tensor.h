#pragma once

// Gives other rows access to gpu.tensor.

#include "gpu/gemm/tensor/operand_scan.h"  // what it is made of: the records of who uses it are stale with it
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// gpu.tensor, for rows that are made of it.
const Implementation& tensor();

}  // namespace gemmlab::gpu
