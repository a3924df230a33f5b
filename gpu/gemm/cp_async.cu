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
constexpr int kApart = kThreadsAcross * kVector;  // from a thread's first four rows or columns to its next
constexpr int kStages = 4;
constexpr int kRowOfAs = BM + kVector;  // four rows of A at eight steps of k then lie in 32 banks

struct Stages {
  alignas(16) float As[kStages][BK][kRowOfAs];
  alignas(16) float Bs[kStages][BK][BN];
};

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread. The tiles of the next kStages - 1 steps are
/// on their way to shared memory and pass no register (compute capability 8.0; before that the copies are
/// ordinary ones). A is transposed by copies of 4 bytes; those of B have 16 where kAligned: every row of A, B
/// and C starts at a multiple of 16 bytes.
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

  constexpr int kStepOfB = kAligned ? kVector : 1;
  // one group per tile, also past the last tile, so that the wait below always counts the same
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
    // every thread's part of this stage is there, and all threads have read the stage before
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
      describe({.id = "gpu.cp_async",
                .name = "cp.async",
                .family = "overlapped",
                .summary = "double_buffered with four stages of asynchronous copies into shared memory",
                .source = "CUDA C++ Programming Guide, asynchronous data copies"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
