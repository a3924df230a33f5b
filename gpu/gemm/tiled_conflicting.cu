#include "gpu/describe.h"
#include "gpu/gemm/tiled.h"

namespace gemmlab::gpu {
namespace {

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// As gpu.tiled with B's tile transposed, so that a warp reads it down a column: at BLOCK 32 all 32 reads
/// fall on one bank and are served one after the other, at BLOCK 16 eight, at 8 two.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_conflicting_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BLOCK][BLOCK];
  // Transposed: Bs[col][k]. Volatile, since nvcc would join four reads of a row to one of 16 bytes, and a
  // quarter of the conflicts would be left; gpu.tiled_padded, whose rows are not aligned for that, reads one
  // by one as well.
  __shared__ volatile float Bs[BLOCK][BLOCK];
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
                     [](auto block) -> Kernel { return tiled_conflicting_kernel<decltype(block)::value>; });
}

}  // namespace

const Implementation& tiled_conflicting() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.tiled_conflicting",
                .name = "tiled {block}, conflicting",
                .family = "tiles",
                .summary = "as gpu.tiled, with B transposed in shared memory so that banks conflict",
                .source = "CUDA C++ Best Practices Guide, shared memory and memory banks",
                .parameters = {block_parameter()},
                .variant_of = "gpu.tiled"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
