#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/pipelined/transpose.h"

namespace gemmlab::gpu {
namespace {

constexpr int kSide = 64;  // of a block's tile
constexpr int kThreads = 256;
constexpr int kRowsAtOnce = kThreads / kSide;

/// Sixteen reads of each thread are under way together; rows are read and written by 64 neighbouring threads.
__global__ void __launch_bounds__(kThreads)
    transpose(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
              std::int64_t rows, std::int64_t cols, unsigned tiles_across) {
  __shared__ float tile[kSide][kSide + 1];  // one float more: a column's elements lie in different banks
  const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.x / tiles_across) * kSide;
  const std::int64_t col0 = static_cast<std::int64_t>(blockIdx.x % tiles_across) * kSide;
  const int down = threadIdx.x / kSide;
  const int across = threadIdx.x % kSide;
#pragma unroll
  for (int i = down; i < kSide; i += kRowsAtOnce) {
    if (row0 + i < rows && col0 + across < cols)
      tile[i][across] = from[(row0 + i) * from_stride + col0 + across];
  }
  __syncthreads();
#pragma unroll
  for (int i = down; i < kSide; i += kRowsAtOnce) {
    if (col0 + i < cols && row0 + across < to_stride)
      to[(col0 + i) * to_stride + row0 + across] = row0 + across < rows ? tile[across][i] : 0.0f;
  }
}

}  // namespace

void launch_transpose(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
                      std::int64_t rows, std::int64_t cols) {
  const std::int64_t across = ceil_div(cols, kSide);
  const std::int64_t down = ceil_div(rows, kSide);
  launch(transpose, down * across, dim3(kThreads), 0, to, to_stride, from, from_stride, rows, cols,
         static_cast<unsigned>(across));
}

}  // namespace gemmlab::gpu
