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
constexpr int kApart = kThreadsAcross * kVector;  // from a thread's first four rows or columns to its next
constexpr int kRowOfAs = BM + kVector;            // four transposed floats are then stored to four banks

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread. A's tile is stored transposed, As[k][row]:
/// four rows of a thread are adjacent and are read as one float4, as its columns are. kAligned: every row of
/// A, B and C starts at a multiple of 16 bytes.
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
#pragma unroll
    for (int n = 0; n < a_tile.kCount; ++n) {
      const PlaceInA at = place_in_a<BM, BK, kThreads, kAligned>(n);
      As[at.k][at.row] = a_tile.values[n];
    }
    store_b<kAligned>(&Bs[0][0], b_tile);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
#pragma unroll
      for (int i = 0; i < TM; i += kVector) {
        const float* a_from = &As[k][thread_row + i / kVector * kApart];
        *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(a_from);
      }
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
      describe({.id = "gpu.transposed_a",
                .name = "A transposed",
                .family = "register tiles",
                .summary = "vector_loads with A's tile transposed in shared memory",
                .source = "SGEMM_CUDA (Boehm), kernel 6"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
