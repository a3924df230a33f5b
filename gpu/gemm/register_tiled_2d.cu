#include "gpu/describe.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int BM = 128;
constexpr int BN = 128;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int TN = 8;
constexpr int kThreadsAcross = BN / TN;
constexpr int kThreads = BM / TM * kThreadsAcross;

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread: a float of As serves TN terms, one of Bs TM. A
/// thread's rows and columns lie kThreadsAcross apart, so that neighbours read neighbouring floats of Bs; the
/// rows of As are one float longer than BK, so that those of a column lie in different banks. All accesses
/// are of 4 bytes; edges are zero-filled.
__global__ void __launch_bounds__(kThreads, 2)
    register_tiled_2d_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                             int M, int N, int K) {
  __shared__ float As[BM][BK + 1];
  __shared__ float Bs[BK][BN];
  const int thread_row = threadIdx.x / kThreadsAcross;
  const int thread_col = threadIdx.x % kThreadsAcross;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_tile<BM, BK, kThreads>(&As[0][0], BK + 1, A, K, M - corner.row, K - k0);
    load_tile<BK, BN, kThreads>(&Bs[0][0], BN, B, N, K - k0, N - corner.col);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM];
      float b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[thread_row + i * kThreadsAcross][k];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][thread_col + j * kThreadsAcross];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = corner.row + thread_row + i * kThreadsAcross;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int col = corner.col + thread_col + j * kThreadsAcross;
      if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sums[i][j];
    }
  }
}

LaunchPlan plan(const Parameters&) {
  return {register_tiled_2d_kernel, dim3(kThreads), BM, BN};
}

}  // namespace

const Implementation& register_tiled_2d() {
  static const KernelImplementation implementation(
      describe(
          {.id = "gpu.register_tiled_2d",
           .name = "register-tiled 2-D",
           .family = "register tiles",
           .summary = "8×8 of C in each thread's registers, 128×128 a block",
           .source = "Volkov, Better Performance at Lower Occupancy (2010); SGEMM_CUDA (Boehm), kernel 5"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
