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
constexpr int kApart = kThreadsAcross * kVector;  // from one four of per thread's rows or columns to the next
constexpr int kRowOfAs = BM + kVector;            // four transposed floats are then stored to four banks

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread, as in transposed_a. The next tiles of A and B
/// are fetched into registers before a step's sums and stored into a second pair of buffers behind them: the
/// sums hide the latency of global memory, and one barrier per step is enough. kBarriers = 2 adds the barrier
/// behind the sums that a single buffer would need.
template <bool kAligned, int kBarriers>
__global__ void __launch_bounds__(kThreads, 2)
    double_buffered_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                           int M, int N, int K) {
  alignas(16) __shared__ float As[2][BK][kRowOfAs];
  alignas(16) __shared__ float Bs[2][BK][BN];
  const int thread_row = threadIdx.x / kThreadsAcross * kVector;
  const int thread_col = threadIdx.x % kThreadsAcross * kVector;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  Fetched<BM, BK, kThreads> a_tile;
  Fetched<BK, BN, kThreads> b_tile;
  const auto fetch = [&](int k0) {
    fetch_a<BM, BK, kThreads, kAligned>(a_tile, A, K, M - corner.row, K - k0);
    fetch_b<BK, BN, kThreads, kAligned>(b_tile, B, N, K - k0, N - corner.col);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
  };
  const auto store = [&](int buffer) {
    store_a_transposed<kRowOfAs, kAligned>(&As[buffer][0][0], a_tile);
    store_b<kAligned>(&Bs[buffer][0][0], b_tile);
    __syncthreads();
  };
  fetch(0);
  store(0);

  float sums[TM][TN] = {};
  int buffer = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const bool more = k0 + BK < K;
    if (more) fetch(k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load_fragment<TM, kApart>(a, &As[buffer][k][thread_row]);
      load_fragment<TN, kApart>(b, &Bs[buffer][k][thread_col]);
      add_outer_product(sums, a, b);
    }
    // the other buffers were last read before the barrier that ended the step before
    if constexpr (kBarriers == 2) __syncthreads();
    buffer ^= 1;
    if (more) store(buffer);
  }
  store_sums<kAligned, kApart, kApart>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

template <int kBarriers>
LaunchPlan plan(const Parameters&) {
  return {double_buffered_kernel<false, kBarriers>, dim3(kThreads), BM, BN,
          double_buffered_kernel<true, kBarriers>};
}

}  // namespace

const Implementation& double_buffered() {
  static const KernelImplementation implementation(
      describe(
          {.id = "gpu.double_buffered",
           .name = "double-buffered",
           .family = "overlapped",
           .summary = "transposed_a with the next tiles fetched into registers meanwhile",
           .source =
               "V. Volkov and J. Demmel, Benchmarking GPUs to tune dense linear algebra (2008); SGEMM_CUDA "
               "(Boehm)"}),
      plan<1>);
  return implementation;
}

const Implementation& double_buffered_two_barriers() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.double_buffered_two_barriers",
                .name = "double-buffered, two barriers",
                .family = "overlapped",
                .summary = "double_buffered with a second barrier per step, which two buffers do not need",
                .source = "data/published/t4-notebook.csv, v7"}),
      plan<2>);
  return implementation;
}

}  // namespace gemmlab::gpu
