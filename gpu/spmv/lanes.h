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
/// many elements of x: one at a time would wait for memory twice per product. Loads have no condition, the
/// last entry stands in for those behind it: with one each, the compiler waits for the first before it issues
/// the last. Values and columns are read once and marked for early eviction, so that x keeps the caches.
template <int kStride, int kBatch>
__device__ inline float strided_sum(const SpmvProblem& p, int entry, int end) {
  float sum = 0;
#pragma unroll 1
  for (; entry < end; entry += kBatch * kStride) {
    int columns[kBatch];
    float products[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = min(entry + i * kStride, end - 1);
      columns[i] = __ldcs(p.columns + at);
      products[i] = __ldcs(p.values + at);
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) products[i] *= __ldg(p.x + columns[i]);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) sum += entry + i * kStride < end ? products[i] : 0;
  }
  return sum;
}

}  // namespace gemmlab::gpu
