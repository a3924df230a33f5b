#pragma once

// Gives other rows access to gpu.pipelined_batched.

#include "core/implementation.h"
#include "gpu/gemm/batched/product.h"  // what it is made of: the records of who uses it are stale with it

namespace gemmlab::gpu {

/// gpu.pipelined_batched, for rows that are made of it.
const Implementation& pipelined_batched();

}  // namespace gemmlab::gpu
