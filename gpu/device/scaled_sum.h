#pragma once

// The kernel that axpy and triad share.

#include <cstdint>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// out[i] = scale·u[i] + v[i] for n floats, in the current stream; `out` may be u or v.
void launch_scaled_sum(float* out, const float* u, const float* v, float scale, std::int64_t n);

/// Of the kernel for operands at multiples of 16 bytes.
Facts scaled_sum_choice();
Facts scaled_sum_resources();

}  // namespace gemmlab::gpu
