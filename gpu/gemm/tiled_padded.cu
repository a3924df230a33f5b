#include "gpu/describe.h"
#include "gpu/gemm/tiled.h"

namespace gemmlab::gpu {
namespace {

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// As gpu.tiled_conflicting with a row of BLOCK + 1 floats: reads down a column now step through the banks.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_padded_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BLOCK][BLOCK];
  __shared__ float Bs[BLOCK][BLOCK + 1];  // transposed: Bs[col][k], and a spare column
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const TileCorner corner = tile_corner(N, BLOCK, BLOCK);
  const int row = corner.row + ty;
  const int col = corner.col + tx;

  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += BLOCK) {
    As[ty][tx] = row < M && k0 + tx < K ? A[static_cast<std::int64_t>(row) * K + k0 + tx] : 0;
    Bs[tx][ty] = k0 + ty < K && col < N ? B[static_cast<std::int64_t>(k0 + ty) * N + col] : 0;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BLOCK; ++k) sum += As[ty][k] * Bs[tx][k];
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sum;
}

LaunchPlan plan(const Parameters& parameters) {
  return square_plan(parameters,
                     [](auto block) -> Kernel { return tiled_padded_kernel<decltype(block)::value>; });
}

}  // namespace

const Implementation& tiled_padded() {
  static const KernelImplementation implementation(
      describe(
          {.id = "gpu.tiled_padded",
           .name = "tiled {block}, padded",
           .family = "tiles",
           .summary = "as gpu.tiled_conflicting, with a spare column that spreads the reads over the banks",
           .source = "CUDA C++ Best Practices Guide, shared memory and memory banks",
           .parameters = {block_parameter()},
           .variant_of = "gpu.tiled"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
