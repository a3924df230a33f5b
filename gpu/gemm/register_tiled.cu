#include <stdexcept>

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreadsAcross = 16;
constexpr int kThreads = kThreadsAcross * kThreadsAcross;

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread, kept in registers: each float read from shared
/// memory is used TN or TM times. A's tile is stored transposed, so that a thread's rows lie side by side and
/// are read 16 bytes at a time. kAligned: every row of A, B and C starts at a multiple of 16 bytes. Source:
/// V. Volkov, "Better Performance at Lower Occupancy" (2010); SGEMM_CUDA (Boehm), kernels 5 and 6.
template <int BM, int BN, int BK, int TM, int TN, bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    register_tiled_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                          int M, int N, int K) {
  static_assert(BM == kThreadsAcross * TM && BN == kThreadsAcross * TN, "the threads cover the tile once");
  constexpr int kRowOfAs = BM + kVector;  // four transposed floats are then stored to four banks
  alignas(16) __shared__ float As[BK * kRowOfAs];
  alignas(16) __shared__ float Bs[BK * BN];

  // A thread's rows and columns are groups of four, 64 apart: neighbours then read neighbouring groups of Bs,
  // from every bank once.
  constexpr int kApart = kThreadsAcross * kVector;
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
    store_a_transposed<kRowOfAs, kAligned>(As, a_tile);
    store_b<kAligned>(Bs, b_tile);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load_fragment<TM, kApart>(a, &As[k * kRowOfAs + thread_row]);
      load_fragment<TN, kApart>(b, &Bs[k * BN + thread_col]);
      add_outer_product(sums, a, b);
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }

  store_sums<kAligned, kApart, kApart>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

template <int BM, int BN, int BK, int TM, int TN>
LaunchPlan plan_of() {
  return {register_tiled_kernel<BM, BN, BK, TM, TN, false>, dim3(kThreads), BM, BN,
          register_tiled_kernel<BM, BN, BK, TM, TN, true>};
}

LaunchPlan plan(const Parameters& parameters) {
  const std::string tile = text(parameters, "tile");
  if (tile == "4x4") return plan_of<64, 64, 16, 4, 4>();
  if (tile == "8x8") return plan_of<128, 128, 8, 8, 8>();
  throw std::invalid_argument("tile = " + tile + " is neither 4x4 nor 8x8");
}

ParameterSpec tile_parameter() {
  return choice(
      "tile",
      "what a thread computes: 4x4 of a 64×64 block's tile, K in steps of 16; 8x8 of 128×128, steps of 8",
      {std::string("4x4"), std::string("8x8")}, std::string("8x8"));
}

}  // namespace

const Implementation& register_tiled() {
  static const KernelImplementation implementation(
      describe(
          {.id = "gpu.register_tiled",
           .name = "register-tiled {tile}",
           .family = "register tiles",
           .summary = "a tile of C in each thread's registers, 16-byte loads, A transposed in shared memory",
           .source =
               "Volkov, Better Performance at Lower Occupancy (2010); SGEMM_CUDA (Boehm), kernels 5 and 6",
           .parameters = {tile_parameter()}}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
