#include "gpu/describe.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int kThreadsAcross = BN / TN;
constexpr int kThreads = BM / TM * kThreadsAcross;

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C a thread block, TM×TN of it a thread. Both tiles lie in shared memory as in global
/// memory, so a thread's four columns of Bs are one access of 16 bytes, and its four rows of As lie BK floats
/// apart. Where kAligned (every row of A, B and C starts at a multiple of 16 bytes), global memory is read
/// and C is written 16 bytes at a time. Edges are zero-filled.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    vector_loads_4x4_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                            int M, int N, int K) {
  alignas(16) __shared__ float As[BM][BK];
  alignas(16) __shared__ float Bs[BK][BN];
  const int thread_row = threadIdx.x / kThreadsAcross * TM;
  const int thread_col = threadIdx.x % kThreadsAcross * TN;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    constexpr auto load_a = kAligned ? load_tile_in_fours<BM, BK, kThreads> : load_tile<BM, BK, kThreads>;
    constexpr auto load_b = kAligned ? load_tile_in_fours<BK, BN, kThreads> : load_tile<BK, BN, kThreads>;
    load_a(&As[0][0], BK, A, K, M - corner.row, K - k0);
    load_b(&Bs[0][0], BN, B, N, K - k0, N - corner.col);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM];
      alignas(16) float b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[thread_row + i][k];
      load_fragment<TN, kVector>(b, &Bs[k][thread_col]);
      add_outer_product(sums, a, b);
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  store_sums<kAligned, kVector, kVector>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

LaunchPlan plan(const Parameters&) {
  return {vector_loads_4x4_kernel<false>, dim3(kThreads), BM, BN, vector_loads_4x4_kernel<true>};
}

}  // namespace

const Implementation& vector_loads_4x4() {
  static const KernelImplementation implementation(
      describe("gpu.vector_loads_4x4",
               "4×4 of C in each thread's registers, 64×64 a block, 16-byte accesses, A's tile as in memory",
               "data/published/t4-notebook.csv, v4", ""),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
