#include "gpu/describe.h"
#include "gpu/gemm/async_copy.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int BM = 128;
constexpr int BN = 128;
constexpr int BK = 8;
constexpr int WM = 64;  // a warp's tile
constexpr int WN = 32;
constexpr int TM = 8;
constexpr int TN = 8;
constexpr int kWarp = 32;
constexpr int kThreads = BM / WM * (BN / WN) * kWarp;
constexpr int kLanesAcross = WN / TN;
constexpr int kLanesDown = WM / TM;
static_assert(kLanesAcross * kLanesDown == kWarp, "the lanes cover the warp's tile once");
constexpr int kRowsApart = kLanesDown * kVector;  // from one four of a lane's rows to the next
constexpr int kColsApart = kLanesAcross * kVector;
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
  const float* a = A + static_cast<std::int64_t>(threadIdx.x / BK) * K + a_k;
#pragma unroll
  for (int row0 = 0; row0 < BM; row0 += kRowsAtOnce) {
    const int row = row0 + threadIdx.x / BK;
    copy_async<4>(&stages.As[stage][a_k][row], a, row < rows && a_k < depth);
    a += static_cast<std::int64_t>(kRowsAtOnce) * K;
  }
  constexpr int kStep = kAligned ? kVector : 1;
  constexpr int kColsOfThreads = BN / kStep;
  constexpr int kDepthAtOnce = kThreads / kColsOfThreads;
  const int col = threadIdx.x % kColsOfThreads * kStep;
  const float* b = B + static_cast<std::int64_t>(threadIdx.x / kColsOfThreads) * N + col;
#pragma unroll
  for (int k0 = 0; k0 < BK; k0 += kDepthAtOnce) {
    const int k = k0 + threadIdx.x / kColsOfThreads;
    copy_async<4 * kStep>(&stages.Bs[stage][k][col], b, k < depth && col < cols);
    b += static_cast<std::int64_t>(kDepthAtOnce) * N;
  }
}

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C a thread block, WM×WN of it a warp, TM×TN a thread. A warp's lanes form 8 rows of 4,
/// so that it reads 64 + 32 floats a step, each 16-byte access of its lanes from 128 bytes at most; as 2 rows
/// of 16 (cp_async) it reads 16 + 128. kAligned: every row of A, B and C starts at a multiple of 16 bytes.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    warp_tiled_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
                      int N, int K) {
  __shared__ Stages stages;
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int thread_row = warp / (BN / WN) * WM + lane / kLanesAcross * kVector;
  const int thread_col = warp % (BN / WN) * WN + lane % kLanesAcross * kVector;
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

#pragma unroll 4  // all eight would take more than the 128 registers of a thread
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load_fragment<TM, kRowsApart>(a, &stages.As[stage][k][thread_row]);
      load_fragment<TN, kColsApart>(b, &stages.Bs[stage][k][thread_col]);
      add_outer_product(sums, a, b);
    }
    stage = stage == kStages - 1 ? 0 : stage + 1;
  }
  wait_for_copies<0>();
  store_sums<kAligned, kRowsApart, kColsApart>(C, corner.row + thread_row, corner.col + thread_col, M, N,
                                               sums);
}

LaunchPlan plan(const Parameters&) {
  return {warp_tiled_kernel<false>, dim3(kThreads), BM, BN, warp_tiled_kernel<true>};
}

}  // namespace

const Implementation& warp_tiled() {
  static const KernelImplementation implementation(
      describe("gpu.warp_tiled", "cp_async with a tile of 64×32 for each warp",
               "CUTLASS, efficient GEMM: warp tiles; SGEMM_CUDA (Boehm), kernel 10", ""),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
