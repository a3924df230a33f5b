#include "gpu/describe.h"
#include "gpu/gemm/tiled.h"

namespace gemmlab::gpu {
namespace {

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// As gpu.tiled with the loads of a tile handed out down its columns: a warp's load touches one line of
/// memory a row.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_uncoalesced_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  // the spare columns keep the stores below off one bank; four of them in As, whose rows are read 16 bytes
  // at a time
  __shared__ float As[BLOCK][BLOCK + 4];
  __shared__ float Bs[BLOCK][BLOCK + 1];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const TileCorner corner = tile_corner(N, BLOCK, BLOCK);
  const int row = corner.row + ty;
  const int col = corner.col + tx;
  const int a_row = corner.row + tx;
  const int b_col = corner.col + ty;

  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += BLOCK) {
    // neighbouring threads read neighbouring rows, K and N floats apart
    As[tx][ty] = a_row < M && k0 + ty < K ? A[static_cast<std::int64_t>(a_row) * K + k0 + ty] : 0;
    Bs[tx][ty] = k0 + tx < K && b_col < N ? B[static_cast<std::int64_t>(k0 + tx) * N + b_col] : 0;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BLOCK; ++k) sum += As[ty][k] * Bs[k][tx];
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sum;
}

LaunchPlan plan(const Parameters& parameters) {
  return square_plan(parameters,
                     [](auto block) -> Kernel { return tiled_uncoalesced_kernel<decltype(block)::value>; });
}

}  // namespace

const Implementation& tiled_uncoalesced() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.tiled_uncoalesced",
                .name = "tiled {block}, uncoalesced",
                .family = "tiles",
                .summary = "as gpu.tiled, with strided loads from global memory",
                .source = "CUDA C++ Best Practices Guide, coalesced access to global memory",
                .parameters = {block_parameter()},
                .variant_of = "gpu.tiled"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
