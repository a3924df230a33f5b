#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/spmv/carries.h"

namespace gemmlab::gpu {
namespace {

constexpr int kCarryThreads = 256;

/// Tiles that lie in one row are neighbours: the thread of the first of them adds up to kFew, the whole
/// block adds more.
__global__ void __launch_bounds__(kCarryThreads)
    add_carries_kernel(const SpmvProblem p, int tiles, const Carry* carries) {
  constexpr int kFew = 16;
  __shared__ int long_runs[kCarryThreads];
  __shared__ int long_count;
  __shared__ float sums[kCarryThreads];
  if (threadIdx.x == 0) long_count = 0;
  __syncthreads();
  const int tile = blockIdx.x * kCarryThreads + threadIdx.x;
  const int row = tile < tiles ? carries[tile].row : p.m;
  if (row < p.m && (tile == 0 || carries[tile - 1].row != row)) {
    float sum = 0;
    int next = tile;
    for (; next < tiles && next < tile + kFew && carries[next].row == row; ++next) sum += carries[next].sum;
    if (next == tile + kFew && next < tiles && carries[next].row == row) {
      long_runs[atomicAdd(&long_count, 1)] = tile;
    } else {
      p.y[row] += sum;
    }
  }
  __syncthreads();
  for (int i = 0; i < long_count; ++i) {
    const int first = long_runs[i];
    const int long_row = carries[first].row;
    float sum = 0;
    for (std::int64_t at = std::int64_t{first} + threadIdx.x; at < tiles; at += kCarryThreads) {
      const Carry carry = carries[at];
      if (carry.row != long_row) break;
      sum += carry.sum;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = kCarryThreads / 2; half > 0; half /= 2) {
      if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) p.y[long_row] += sums[0];
  }
}

}  // namespace

void add_carries(const SpmvProblem& problem, int tiles, const Carry* carries) {
  launch(add_carries_kernel, ceil_div(std::int64_t{tiles}, kCarryThreads), dim3(kCarryThreads), 0, problem,
         tiles, carries);
}

}  // namespace gemmlab::gpu
