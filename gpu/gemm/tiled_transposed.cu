#include "core/rounding.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/tiled.h"
#include "gpu/gemm/transposed_b.h"

namespace gemmlab::gpu {
namespace {

constexpr int kSide = 32;  // of the tiles that are transposed
constexpr int kRows = 8;   // that a block of kSide×kRows threads moves at a time

/// Bt = Bᵀ. B (K, N), Bt (N, K), row-major. Rows are read and written along themselves; the tile
/// between turns them.
__global__ void __launch_bounds__(kSide* kRows) transpose_kernel(const float* B, float* Bt, int N, int K) {
  __shared__ float tile[kSide][kSide + 1];  // one float more: a column then lies in 32 banks
  const TileCorner corner = tile_corner(N, kSide, kSide);
  const int tx = threadIdx.x;
#pragma unroll
  for (int y = threadIdx.y; y < kSide; y += kRows) {
    const int k = corner.row + y;
    const int col = corner.col + tx;
    if (k < K && col < N) tile[y][tx] = B[static_cast<std::int64_t>(k) * N + col];
  }
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < kSide; y += kRows) {
    const int col = corner.col + y;
    const int k = corner.row + tx;
    if (k < K && col < N) Bt[static_cast<std::int64_t>(col) * K + k] = tile[tx][y];
  }
}

/// C = A·B from A (M, K) and Bt = Bᵀ (N, K); C (M, N), all row-major float32. C is overwritten, never read.
/// One BLOCK×BLOCK tile of C per thread block, as in gpu.tiled; but a thread's row of A and column of B both
/// lie along k, and are read from shared memory 16 bytes at a time. Edges are zero-filled.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_transposed_kernel(const float* A, const float* Bt, float* C, int M, int N, int K) {
  constexpr int kFour = 4;
  alignas(16) __shared__ float As[BLOCK][BLOCK];
  // four floats more: eight neighbouring threads, which are served together, then read 32 different banks
  alignas(16) __shared__ float Bts[BLOCK][BLOCK + kFour];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const TileCorner corner = tile_corner(N, BLOCK, BLOCK);
  const int row = corner.row + ty;
  const int bt_row = corner.col + ty;

  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += BLOCK) {
    const int k = k0 + tx;
    As[ty][tx] = row < M && k < K ? A[static_cast<std::int64_t>(row) * K + k] : 0;
    Bts[ty][tx] = bt_row < N && k < K ? Bt[static_cast<std::int64_t>(bt_row) * K + k] : 0;
    __syncthreads();

#pragma unroll
    for (int i = 0; i < BLOCK; i += kFour) {
      const float4 a = *reinterpret_cast<const float4*>(&As[ty][i]);
      const float4 b = *reinterpret_cast<const float4*>(&Bts[tx][i]);
      sum += a.x * b.x;
      sum += a.y * b.y;
      sum += a.z * b.z;
      sum += a.w * b.w;
    }
    // every thread must finish reading As and Bts before the next tiles overwrite them
    __syncthreads();
  }
  if (row < M && corner.col + tx < N) C[static_cast<std::int64_t>(row) * N + corner.col + tx] = sum;
}

void transpose(const float* b, float* bt, const Shape& shape) {
  const std::int64_t tiles = ceil_div(shape.k, kSide) * ceil_div(shape.n, kSide);
  launch(transpose_kernel, tiles, dim3(kSide, kRows), 0, b, bt, static_cast<int>(shape.n),
         static_cast<int>(shape.k));
}

LaunchPlan plan(const Parameters& parameters) {
  return square_plan(parameters,
                     [](auto block) -> Kernel { return tiled_transposed_kernel<decltype(block)::value>; });
}

}  // namespace

const Implementation& tiled_transposed() {
  static const TransposedB implementation(
      describe(
          {.id = "gpu.tiled_transposed",
           .name = "tiled {block}, B transposed",
           .family = "tiles",
           .summary =
               "tiled from a transposed copy of B, made in every call; 16-byte reads of both tiles along k",
           .source = "M. Harris, An efficient matrix transpose in CUDA C/C++ (2013), for the transposition",
           .parameters = {block_parameter()}}),
      plan, transpose);
  return implementation;
}

}  // namespace gemmlab::gpu
