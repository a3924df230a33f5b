#pragma once

// How the scan, the split and the plain kernel of gpu.tensor read float32 matrices.

#include <cuda_runtime.h>

#include <cstdint>

#include "core/rounding.h"

namespace gemmlab::gpu::parts {

constexpr int kWarp = 32;
constexpr int kVector = 4;  // floats in a 16-byte load

__host__ __device__ constexpr std::int64_t tiles_of(std::int64_t length, int tile) {
  return ceil_div(length, tile);
}

/// Do all rows of this matrix, `stride` floats apart, consist of whole vectors at multiples of 16 bytes?
__device__ inline bool whole_vectors(const float* matrix, int cols, int stride) {
  return cols % kVector == 0 && stride % kVector == 0 &&
         reinterpret_cast<std::uintptr_t>(matrix) % (kVector * sizeof(float)) == 0;
}

/// Four elements of a row from `col` on, zeros beyond its end. `whole`: whole_vectors() of the matrix.
__device__ inline float4 load4(const float* row, int col, int cols, bool whole) {
  if (whole) return col < cols ? *reinterpret_cast<const float4*>(row + col) : make_float4(0, 0, 0, 0);
  return make_float4(col < cols ? row[col] : 0, col + 1 < cols ? row[col + 1] : 0,
                     col + 2 < cols ? row[col + 2] : 0, col + 3 < cols ? row[col + 3] : 0);
}

}  // namespace gemmlab::gpu::parts
