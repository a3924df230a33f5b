#include "gpu/describe.h"
#include "gpu/gemm/async_copy.h"
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
constexpr int kStages = 4;
constexpr int kRowOfAs = BM + kVector;  // four rows of eight steps of k then lie in 32 banks

struct Stages {
  alignas(16) float As[kStages][BK][kRowOfAs];
  alignas(16) float Bs[kStages][BK][BN];
};

/// Begins to copy the tiles at A and B, of which `rows`, `cols` and `depth` lie inside, into a stage; zeros
/// beyond. A is transposed on its way, so its copies are of 4 bytes; B's are of 16 where kAligned.
template <bool kAligned>
__device__ void copy_tiles(Stages& stages, int stage, const float* A, const float* B, int N, int K, int rows,
                           int cols, int depth) {
  constexpr int kRowsAtOnce = kThreads / BK;
  const int a_k = threadIdx.x % BK;
  const int a_row = threadIdx.x / BK;
  const float* a = A + static_cast<std::int64_t>(a_row) * K + a_k;
#pragma unroll
  for (int row0 = 0; row0 < BM; row0 += kRowsAtOnce) {
    copy_async<4>(&stages.As[stage][a_k][row0 + a_row], a, row0 < rows - a_row && a_k < depth);
    a += static_cast<std::int64_t>(kRowsAtOnce) * K;
  }
  constexpr int kStep = kAligned ? kVector : 1;
  constexpr int kColsOfThreads = BN / kStep;
  constexpr int kDepthAtOnce = kThreads / kColsOfThreads;
  const int b_k = threadIdx.x / kColsOfThreads;
  const int col = threadIdx.x % kColsOfThreads * kStep;
  const float* b = B + static_cast<std::int64_t>(b_k) * N + col;
#pragma unroll
  for (int k0 = 0; k0 < BK; k0 += kDepthAtOnce) {
    copy_async<4 * kStep>(&stages.Bs[stage][k0 + b_k][col], b, k0 < depth - b_k && col < cols);
    b += static_cast<std::int64_t>(kDepthAtOnce) * N;
  }
}

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C a thread block, TM×TN of it a thread. The tiles of the next kStages - 1 steps are
/// under way to shared memory past the registers (compute capability 8.0; before that the copies are ordinary
/// ones). kAligned: every row of A, B and C starts at a multiple of 16 bytes.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    cp_async_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
                    int N, int K) {
  __shared__ Stages stages;
  const int thread_row = threadIdx.x / kThreadsAcross * kVector;
  const int thread_col = threadIdx.x % kThreadsAcross * kVector;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  // a group for each tile, also for those behind the last, so that the wait below always counts the same
  int depth = K;  // not yet under way
  const auto copy_next = [&](int stage) {
    if (depth > 0) {
      copy_tiles<kAligned>(stages, stage, A, B, N, K, M - corner.row, N - corner.col, depth);
      A += BK;
      B += static_cast<std::int64_t>(BK) * N;
      depth -= BK;
    }
    commit_copies();
  };
#pragma unroll
  for (int stage = 0; stage < kStages - 1; ++stage) copy_next(stage);

  float sums[TM][TN] = {};
  int stage = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    wait_for_copies<kStages - 2>();
    // now every thread's part of this stage is there, and the stage before has been read by all
    __syncthreads();
    copy_next(stage == 0 ? kStages - 1 : stage - 1);

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load_fragment<TM, kApart>(a, &stages.As[stage][k][thread_row]);
      load_fragment<TN, kApart>(b, &stages.Bs[stage][k][thread_col]);
      add_outer_product(sums, a, b);
    }
    stage = stage == kStages - 1 ? 0 : stage + 1;
  }
  wait_for_copies<0>();
  store_sums<kAligned, kApart, kApart>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

LaunchPlan plan(const Parameters&) {
  return {cp_async_kernel<false>, dim3(kThreads), BM, BN, cp_async_kernel<true>};
}

}  // namespace

const Implementation& cp_async() {
  static const KernelImplementation implementation(
      describe("gpu.cp_async", "double_buffered with four stages of asynchronous copies into shared memory",
               "CUDA C++ Programming Guide, asynchronous data copies", ""),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
