#pragma once

// Gives other rows access to gpu.pipelined.

#include "gpu/gemm/pipelined/choose.h"  // what it is made of: the records of who uses it are stale with it
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// gpu.pipelined, for rows that are made of it.
const Implementation& pipelined();

}  // namespace gemmlab::gpu
