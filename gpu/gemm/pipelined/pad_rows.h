#pragma once

// Copies of matrices with rows at multiples of 32 bytes, for kernels that read whole sectors.

#include <cstdint>

#include "core/rounding.h"

namespace gemmlab::gpu {

/// Floats from one row to the next of a copy whose rows of `length` floats start at sectors of 32 bytes.
inline std::int64_t padded_row(std::int64_t length) {
  constexpr std::int64_t kSector = 8;
  return rounded_up(length, kSector);
}

/// Copies a row-major matrix (rows, length), whose rows are `stride` floats apart, so that they lie
/// padded_row(length) floats apart; zeros between. `to` is at a multiple of 16 bytes, `from` anywhere. The
/// copy is of less than 2³³ floats.
void launch_pad_rows(float* to, const float* from, std::int64_t rows, std::int64_t length,
                     std::int64_t stride);

}  // namespace gemmlab::gpu
