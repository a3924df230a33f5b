#pragma once

// How much of each SM's memory a launch sets aside as shared memory: what is left caches its loads. For .cpp and .cu files.

#include <cstdint>

#include "gpu/gemm/pipelined/choose.h"

namespace gemmlab::gpu {

constexpr int kAllShared = 100;

/// Percent of an SM's shared memory that a grid of so many blocks of a tile needs, spread over all SMs.
int shared_percent(const PipelinedCandidate& tile, std::int64_t blocks, const PipelinedCard& card);

/// Lets blocks of the kernel have so much.
void allow_shared(const void* kernel, int bytes);
/// Sets so many percent aside for the kernel's launches from now on. It costs less than a launch.
void set_shared_aside(const void* kernel, int percent);

}  // namespace gemmlab::gpu
