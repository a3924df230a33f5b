#pragma once

// A row summed by a group of lanes, for the kernels that give rows to groups. Device code.

#include <cuda_runtime.h>

#include "gpu/spmv/session.h"

namespace gemmlab::gpu {

/// The sum over the lanes of a group of kLanes, a power of two, in each of them. All 32 lanes call it.
template <int kLanes>
__device__ inline float sum_over_lanes(float sum) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  return sum;
}

/// Every kStride-th product from `entry` on. kBatch values and columns are on their way at once, and then as
/// many elements of x: one at a time would wait for memory twice per product. Values and columns are read
/// once and marked for early eviction, so that x keeps the caches.
template <int kStride, int kBatch>
__device__ inline float strided_sum(const SpmvProblem& p, int entry, int end) {
  float sum = 0;
  while (entry < end) {
    int columns[kBatch];
    float values[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const bool there = entry + i * kStride < end;
      columns[i] = there ? __ldcs(p.columns + entry + i * kStride) : -1;
      values[i] = there ? __ldcs(p.values + entry + i * kStride) : 0;
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (columns[i] >= 0) sum += values[i] * __ldg(p.x + columns[i]);
    }
    entry += kBatch * kStride;
  }
  return sum;
}

}  // namespace gemmlab::gpu
