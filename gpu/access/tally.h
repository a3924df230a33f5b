#pragma once

// The sum of what all threads of a grid have counted, by one launch: the block that finishes last adds up
// the blocks' sums.

#include <cuda_runtime.h>

#include "gpu/device/device.h"
#include "gpu/device/stream.h"

namespace gemmlab::gpu::accessing {

constexpr int kThreads = 256;  // per block
constexpr int kWarp = 32;
constexpr int kMostBlocks = 1 << 16;

/// Device memory: the blocks' sums, and how many blocks have finished.
struct Tally {
  unsigned long long* of_block;
  unsigned* finished;
};

class TallyMemory {
 public:
  TallyMemory() : sums_(kMostBlocks * sizeof(unsigned long long)), finished_(sizeof(unsigned)) {
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(finished_.data(), 0, finished_.bytes(), current_stream()));
  }
  Tally device() const {
    return {static_cast<unsigned long long*>(sums_.data()), static_cast<unsigned*>(finished_.data())};
  }

 private:
  DeviceMemory sums_;
  DeviceMemory finished_;
};

#ifdef __CUDACC__
/// Of a block of kThreads; thread 0 gets it.
__device__ inline unsigned long long block_sum(unsigned long long value) {
  __shared__ unsigned long long of_warp[kThreads / kWarp];
  for (int apart = kWarp / 2; apart > 0; apart /= 2) value += __shfl_down_sync(~0u, value, apart);
  __syncthreads();  // of_warp may still be read from the sum before
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kThreads / kWarp; ++warp) value += of_warp[warp];
  }
  return value;
}

/// Called by all threads of all blocks, once.
__device__ inline void add_up(unsigned long long mine, const Tally& tally, unsigned long long* total) {
  __shared__ bool last;
  const unsigned long long sum = block_sum(mine);
  if (threadIdx.x == 0) {
    tally.of_block[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(tally.finished, gridDim.x - 1) == gridDim.x - 1;  // wraps round to 0 for the next launch
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  unsigned long long all = 0;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads)
    all += __ldcg(&tally.of_block[block]);
  all = block_sum(all);
  if (threadIdx.x == 0) *total = all;
}
#endif

}  // namespace gemmlab::gpu::accessing
