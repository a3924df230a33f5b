#include "gpu/describe.h"
#include "gpu/gemm/tiled.h"

namespace gemmlab::gpu {
namespace {

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// As gpu.tiled with unrolling of the inner loop forbidden, so that each of its terms pays for the counter,
/// the compare and the branch, and for shared addresses that are no longer constants.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_rolled_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BLOCK][BLOCK];
  __shared__ float Bs[BLOCK][BLOCK];
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

    // nvcc unrolls a loop of constant length by itself
#pragma unroll 1
    for (int k = 0; k < BLOCK; ++k) sum += As[ty][k] * Bs[k][tx];
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sum;
}

LaunchPlan plan(const Parameters& parameters) {
  return square_plan(parameters,
                     [](auto block) -> Kernel { return tiled_rolled_kernel<decltype(block)::value>; });
}

}  // namespace

const Implementation& tiled_rolled() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.tiled_rolled",
                .name = "tiled {block}, rolled",
                .family = "tiles",
                .summary = "as gpu.tiled, with the inner loop left rolled",
                .source = "CUDA C++ Best Practices Guide, loop unrolling",
                .parameters = {block_parameter()},
                .variant_of = "gpu.tiled"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
