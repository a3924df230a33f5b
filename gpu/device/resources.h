#pragma once

// What any kernel may be asked, whatever it computes.

#include <cstddef>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// registers (per thread), spill_bytes (per thread), shared_bytes (per block: in all, static_ and dynamic_),
/// blocks_per_sm that are resident, occupancy, their share of the SM's warps, and occupancy_limit, what keeps
/// more of them out.
Facts kernel_resources(const void* kernel, int threads, std::size_t dynamic_shared_bytes);

bool at_16_bytes(const void* pointer);

}  // namespace gemmlab::gpu
