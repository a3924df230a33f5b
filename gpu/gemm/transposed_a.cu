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
constexpr int kRowOfAs = BM + kVector;            // the stores of a transposed four then meet no bank twice

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C a thread block, TM×TN of it a thread. A's tile is stored transposed, As[k][row], so
/// that a thread's rows lie side by side and both fragments of a step of k are read 16 bytes at a time.
/// kAligned: every row of A, B and C starts at a multiple of 16 bytes.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    transposed_a_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                        int M, int N, int K) {
  alignas(16) __shared__ float As[BK][kRowOfAs];
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
    store_a<1, kRowOfAs, kAligned>(&As[0][0], a_tile);
    store_b<kAligned>(&Bs[0][0], b_tile);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load_fragment<TM, kApart>(a, &As[k][thread_row]);
      load_fragment<TN, kApart>(b, &Bs[k][thread_col]);
      add_outer_product(sums, a, b);
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  store_sums<kAligned, kApart, kApart>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

LaunchPlan plan(const Parameters&) {
  return {transposed_a_kernel<false>, dim3(kThreads), BM, BN, transposed_a_kernel<true>};
}

}  // namespace

const Implementation& transposed_a() {
  static const KernelImplementation implementation(
      describe("gpu.transposed_a", "vector_loads with A's tile transposed in shared memory",
               "SGEMM_CUDA (Boehm), kernel 6", ""),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
