#include "gpu/describe.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int kThreads = BM / TM * BN;

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM rows of one column of it per thread: a float of Bs, once
/// read, serves TM terms. All lanes of a warp read the same floats of As, which costs one access for all.
/// Edges are zero-filled.
__global__ void __launch_bounds__(kThreads, 2)
    register_tiled_1d_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                             int M, int N, int K) {
  alignas(16) __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  const int thread_row = threadIdx.x / BN * TM;
  const int thread_col = threadIdx.x % BN;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  float sums[TM] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_tile<BM, BK, kThreads>(&As[0][0], BK, A, K, M - corner.row, K - k0);
    load_tile<BK, BN, kThreads>(&Bs[0][0], BN, B, N, K - k0, N - corner.col);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll 4  // all eight would take more than the 64 registers of a thread
    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k][thread_col];
#pragma unroll
      for (int i = 0; i < TM; ++i) sums[i] += As[thread_row + i][k] * b;
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = corner.row + thread_row + i;
    const int col = corner.col + thread_col;
    if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sums[i];
  }
}

LaunchPlan plan(const Parameters&) {
  return {register_tiled_1d_kernel, dim3(kThreads), BM, BN};
}

}  // namespace

const Implementation& register_tiled_1d() {
  static const KernelImplementation implementation(
      describe(
          {.id = "gpu.register_tiled_1d",
           .name = "register-tiled 1-D",
           .family = "register tiles",
           .summary = "8 rows of one column of C in each thread's registers",
           .source = "Volkov, Better Performance at Lower Occupancy (2010); SGEMM_CUDA (Boehm), kernel 4"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
