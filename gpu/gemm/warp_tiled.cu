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
constexpr int kRowsApart = kLanesDown * kVector;  // from a lane's first four rows to its next
constexpr int kColsApart = kLanesAcross * kVector;
constexpr int kStages = 4;
constexpr int kRowOfAs = BM + kVector;  // four rows of A at eight steps of k then lie in 32 banks

struct Stages {
  alignas(16) float As[kStages][BK][kRowOfAs];
  alignas(16) float Bs[kStages][BK][BN];
};

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, WM×WN of it per warp, TM×TN per thread. A warp's lanes form 8 rows
/// of 4, so that it reads 64 + 32 floats per step, each 16-byte access of its lanes from 128 bytes at most;
/// as 2 rows of 16 (cp_async) it reads 16 + 128. Tiles are copied as in cp_async. kAligned: every row of A, B
/// and C starts at a multiple of 16 bytes.
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

  constexpr int kStepOfB = kAligned ? kVector : 1;
  int depth = K;  // that no copy has been begun for
  const auto copy_next = [&](int stage) {
    if (depth > 0) {
      const auto copy_a = [&](int row, int k, const float* from, bool inside) {
        copy_async<4>(&stages.As[stage][k][row], from, inside);
      };
      const auto copy_b = [&](int k, int col, const float* from, bool inside) {
        copy_async<4 * kStepOfB>(&stages.Bs[stage][k][col], from, inside);
      };
      for_each_piece<BM, BK, 1, kThreads>(A, K, M - corner.row, depth, copy_a);
      for_each_piece<BK, BN, kStepOfB, kThreads>(B, N, depth, N - corner.col, copy_b);
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
    __syncthreads();  // as in cp_async
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
      describe({.id = "gpu.warp_tiled",
                .name = "warp-tiled",
                .family = "overlapped",
                .summary = "cp_async with a tile of 64×32 for each warp",
                .source = "CUTLASS, efficient GEMM: warp tiles; SGEMM_CUDA (Boehm), kernel 10"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
