#include "gpu/describe.h"
#include "gpu/tiled.h"

namespace gemmlab::gpu {
namespace {

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// As gpu.tiled with a spare column in Bs, which holds B's tile as it lies: Bs[k][col]. A warp's reads lie
/// along a row of Bs, in banks of their own with the column or without it, so there is no conflict to remove.
/// At BLOCK 16 a warp stores two rows, and the column moves the second so that one of its floats meets the
/// first row's bank.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_spare_column_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BLOCK][BLOCK];
  __shared__ float Bs[BLOCK][BLOCK + 1];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const TileCorner corner = tile_corner(N, BLOCK, BLOCK);
  const int row = corner.row + ty;
  const int col = corner.col + tx;

  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += BLOCK) {
    As[ty][tx] = row < M && k0 + tx < K ? A[static_cast<std::int64_t>(row) * K + k0 + tx] : 0;
    Bs[ty][tx] = k0 + ty < K && col < N ? B[static_cast<std::int64_t>(k0 + ty) * N + col] : 0;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BLOCK; ++k) sum += As[ty][k] * Bs[k][tx];
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sum;
}

LaunchPlan plan(const Parameters& parameters) {
  return wide_square_plan(
      parameters, [](auto block) -> Kernel { return tiled_spare_column_kernel<decltype(block)::value>; });
}

}  // namespace

const Implementation& tiled_spare_column() {
  static const KernelImplementation implementation(
      describe("gpu.tiled_spare_column",
               "as gpu.tiled, with a spare column in B's tile, which lies as in memory",
               "data/published/t4-notebook.csv, v3 (block 32)", "", {wide_block_parameter()}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
