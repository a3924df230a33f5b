#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/transposed_b.h"

namespace gemmlab::gpu {
namespace {

constexpr int kSide = 16;

/// Bt = Bᵀ, one thread per element. B (K, N), Bt (N, K), row-major. Rows of B are read along themselves;
/// neighbouring threads write K floats apart.
__global__ void __launch_bounds__(kSide* kSide)
    naive_transpose_kernel(const float* B, float* Bt, int N, int K) {
  const TileCorner corner = tile_corner(N, kSide, kSide);
  const int k = corner.row + threadIdx.y;
  const int col = corner.col + threadIdx.x;
  if (k < K && col < N)
    Bt[static_cast<std::int64_t>(col) * K + k] = B[static_cast<std::int64_t>(k) * N + col];
}

/// C = A·B from A (M, K) and Bt = Bᵀ (N, K); C (M, N), all row-major float32. C is overwritten, never
/// read. As gpu.tiled at block 16, from Bt: the threads take the elements of B's tile that they took from
/// B, so that neighbours now read K floats apart, where they read next to each other before. Bs holds the
/// tile untransposed in rows of ROW floats, and a warp reads along them: a spare float removes no bank
/// conflict (see gpu.tiled_spare_column).
template <int ROW>
__global__ void __launch_bounds__(kSide* kSide)
    tiled_strided_kernel(const float* A, const float* Bt, float* C, int M, int N, int K) {
  __shared__ float As[kSide][kSide];
  __shared__ float Bs[kSide][ROW];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const TileCorner corner = tile_corner(N, kSide, kSide);
  const int row = corner.row + ty;
  const int col = corner.col + tx;

  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += kSide) {
    As[ty][tx] = row < M && k0 + tx < K ? A[static_cast<std::int64_t>(row) * K + k0 + tx] : 0;
    Bs[ty][tx] = k0 + ty < K && col < N ? Bt[static_cast<std::int64_t>(col) * K + k0 + ty] : 0;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < kSide; ++k) sum += As[ty][k] * Bs[k][tx];
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sum;
}

void naive_transpose(const float* b, float* bt, const Shape& shape) {
  const std::int64_t tiles = ceil_div(shape.k, kSide) * ceil_div(shape.n, kSide);
  launch(naive_transpose_kernel, tiles, dim3(kSide, kSide), 0, b, bt, static_cast<int>(shape.n),
         static_cast<int>(shape.k));
}

LaunchPlan plan(const Parameters& parameters) {
  return {integer(parameters, "row") == kSide ? tiled_strided_kernel<kSide> : tiled_strided_kernel<kSide + 1>,
          dim3(kSide, kSide), kSide, kSide};
}

ParameterSpec row_parameter() {
  return choice("row", "floats from one row of B's tile to the next; 17: a spare one",
                {std::int64_t{kSide}, std::int64_t{kSide + 1}}, std::int64_t{kSide});
}

}  // namespace

const Implementation& tiled_strided() {
  static const TransposedB implementation(
      describe({.id = "gpu.tiled_strided",
                .name = "tiled, B strided {row}",
                .family = "tiles",
                .summary = "tiled, block 16, from a copy of B that a naive kernel transposes in every call "
                           "and that is then "
                           "read down its columns",
                .source = "data/published/cuda-optimisation-report.csv, table 4",
                .parameters = {row_parameter()}}),
      plan, naive_transpose);
  return implementation;
}

}  // namespace gemmlab::gpu
