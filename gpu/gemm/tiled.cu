#include "gpu/describe.h"
#include "gpu/gemm/tiled.h"

namespace gemmlab::gpu {
namespace {

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BLOCK×BLOCK tile of C per thread block: each element of A and B is read from global memory once per
/// tile, not once per term. Edges are zero-filled. Source: CUDA C++ Programming Guide, matrix multiplication
/// with shared memory.
/// SPARE floats follow each row of Bs. A warp reads along such a row, from 32 different banks with a spare
/// float or without it, so there is no conflict to remove; at BLOCK 16, where a warp stores two rows, the
/// spare float puts one float of the second row into a bank of the first.
template <int BLOCK, int SPARE>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BLOCK][BLOCK];
  __shared__ float Bs[BLOCK][BLOCK + SPARE];
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
  return square_plan(parameters,
                     [](auto block) -> Kernel { return tiled_kernel<decltype(block)::value, 0>; });
}

LaunchPlan spare_column_plan(const Parameters& parameters) {
  return wide_square_plan(parameters,
                          [](auto block) -> Kernel { return tiled_kernel<decltype(block)::value, 1>; });
}

}  // namespace

const Implementation& tiled() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.tiled",
                .name = "tiled {block}",
                .family = "tiles",
                .summary = "square tiles of A and B in shared memory, one thread per element of C",
                .source = "CUDA C++ Programming Guide, matrix multiplication with shared memory",
                .counterpart = "cpu.blocked",
                .parameters = {block_parameter()}}),
      plan);
  return implementation;
}

const Implementation& tiled_spare_column() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.tiled_spare_column",
                .name = "tiled {block}, spare column",
                .family = "tiles",
                .summary = "as gpu.tiled, with a spare column in B's tile, which has no conflict to remove",
                .source = "data/published/t4-notebook.csv, v3 (block 32)",
                .parameters = {wide_block_parameter()}}),
      spare_column_plan);
  return implementation;
}

}  // namespace gemmlab::gpu
