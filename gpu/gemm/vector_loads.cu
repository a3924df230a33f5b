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
constexpr int kApart = kThreadsAcross * kVector;  // from one four of a thread's rows or columns to the next

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C a thread block, TM×TN of it a thread. Global memory is read and C is written 16 bytes
/// at a time where kAligned (every row of A, B and C starts at a multiple of 16 bytes), Bs is read so always:
/// a thread's columns are fours, 64 apart. As keeps A's order, so a thread's rows of it are read one by one.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    vector_loads_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                        int M, int N, int K) {
  __shared__ float As[BM][BK + 1];
  alignas(16) __shared__ float Bs[BK][BN];
  const int thread_row = threadIdx.x / kThreadsAcross * kVector;
  const int thread_col = threadIdx.x % kThreadsAcross * kVector;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    Fetched<BM, BK, kThreads> a_tile;
    Fetched<BK, BN, kThreads> b_tile;
    fetch_a<BM, BK, kThreads, kAligned>(a_tile, A, K, M - corner.row, K - k0);
    fetch_b<BK, BN, kThreads, kAligned>(b_tile, B, N, K - k0, N - corner.col);
    store_a<BK + 1, 1, kAligned>(&As[0][0], a_tile);
    store_b<kAligned>(&Bs[0][0], b_tile);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll 4  // all eight would take more than the 128 registers of a thread
    for (int k = 0; k < BK; ++k) {
      float a[TM];
      alignas(16) float b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[thread_row + i / kVector * kApart + i % kVector][k];
      load_fragment<TN, kApart>(b, &Bs[k][thread_col]);
      add_outer_product(sums, a, b);
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  store_sums<kAligned, kApart, kApart>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

LaunchPlan plan(const Parameters&) {
  return {vector_loads_kernel<false>, dim3(kThreads), BM, BN, vector_loads_kernel<true>};
}

}  // namespace

const Implementation& vector_loads() {
  static const KernelImplementation implementation(
      describe("gpu.vector_loads", "register_tiled_2d with accesses of 16 bytes to global memory and Bs",
               "SGEMM_CUDA (Boehm), kernel 6; CUDA Pro Tip: vectorized memory access (Luitjens, 2013)", ""),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
