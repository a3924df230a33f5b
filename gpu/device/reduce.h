#pragma once

// Sums over threads whose order depends on the grid alone, so that a result has the same bits every time.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

inline constexpr int kWarp = 32;

#ifdef __CUDACC__

/// The sum over each group of kGroup neighbouring lanes of a warp, in all of them; kGroup is a power of two.
template <int kGroup = kWarp>
__device__ inline float group_sum(float value) {
#pragma unroll
  for (int distance = kGroup / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

/// The sum over the block's kThreads threads, in thread 0. `sums` is shared memory of a float per warp.
template <int kThreads>
__device__ inline float block_sum(float value, float* sums) {
  value = group_sum(value);
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (warp == 0) value = group_sum(lane < kThreads / kWarp ? sums[lane] : 0.0f);
  return value;
}

/// True in all threads of the last of `blocks` blocks that come here with the same counter: whatever the
/// others wrote before is then visible. The counter begins at 0 and is left so.
__device__ inline bool last_to_arrive(unsigned* counter, unsigned blocks) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(counter, blocks - 1) == blocks - 1;
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

#endif

}  // namespace gemmlab::gpu
