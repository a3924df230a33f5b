#pragma once

// How the kernels of the operation access walk through memory. For .cu files.

#include "gpu/access/loads.h"
#include "gpu/access/tally.h"

namespace gemmlab::gpu::accessing {

constexpr int kInFlight = 4;  // loads that a thread issues before it waits
constexpr int kTile = kThreads * kInFlight;

/// `loads` loads, `step` bytes from one to the next, `passes` times over; then the elements behind the
/// last whole load.
struct Work {
  const char* first;
  std::int64_t loads;
  std::int64_t step;
  const unsigned* tail;
  int tail_count;
  int passes;
};

/// Loads of neighbouring threads are `step` apart. A block has the same tiles in each pass, every gridDim-th,
/// so that what it reads again may lie in the L1 of its SM.
/// kHeldDown: the instance that is launched with dynamic shared memory.
template <int kWidth, bool kNear, bool kHeldDown>
__global__ void __launch_bounds__(kThreads) read(Work work, Tally tally, unsigned long long* total) {
  using Wide = Load<kWidth, kNear>;
  unsigned long long sum = 0;
  for (int pass = 0; pass < work.passes; ++pass) {
    std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
    for (; tile + kTile <= work.loads; tile += static_cast<std::int64_t>(gridDim.x) * kTile) {
      const char* from = work.first + (tile + threadIdx.x) * work.step;
      unsigned values[kInFlight];
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) values[i] = Wide::sum(from + i * kThreads * work.step);
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) sum += values[i];
    }
    for (std::int64_t load = tile + threadIdx.x; load < work.loads && load < tile + kTile; load += kThreads) {
      sum += Wide::sum(work.first + load * work.step);
    }
    if (blockIdx.x == 0 && static_cast<int>(threadIdx.x) < work.tail_count) sum += work.tail[threadIdx.x];
  }
  add_up(sum, tally, total);
}

}  // namespace gemmlab::gpu::accessing
