#include <stdexcept>
#include <string>

#include "core/session_row.h"
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
constexpr int kRowOfAs = BM + kVector;  // four transposed floats are then stored to four banks

/// How B's tile lies in shared memory.
enum class Layout { kPlain, kLinearised, kOffset };

/// Floats of Bs from one k to the next.
template <Layout kLayout>
constexpr int kRowOfBs = kLayout == Layout::kOffset ? BN + 5 : BN;

/// Where in Bs element (k, col) of the tile lies. Linearised: the threads' first columns side by side, then
/// all second ones, and so on.
template <Layout kLayout>
__device__ constexpr int place(int k, int col) {
  const int within = kLayout == Layout::kLinearised ? col % TN * kThreadsAcross + col / TN : col;
  return k * kRowOfBs<kLayout> + within;
}

/// A thread's share of B's tile, fetched by fetch_b, to its places.
template <Layout kLayout, bool kAligned>
__device__ void store_b_at_places(float* Bs, const Fetched<BK, BN, kThreads>& fetched) {
  constexpr int kStep = kAligned ? kVector : 1;
#pragma unroll
  for (int n = 0; n < fetched.kCount; n += kStep) {
    const int i = (n / kStep * kThreads + threadIdx.x) * kStep;
#pragma unroll
    for (int x = 0; x < kStep; ++x) Bs[place<kLayout>(i / BN, i % BN + x)] = fetched.values[n + x];
  }
}

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread, as in gpu.transposed_a; but a thread's eight
/// columns are adjacent. Plain: it reads them 16 bytes at a time; eight threads are served together, and the
/// fifth reads from the first's banks. Linearised: 16 threads read 16 adjacent floats, without a conflict, but
/// one by one. Offset: a row of Bs is five floats longer, so that rows start in different banks; within a row
/// the same threads conflict, and a row that starts between multiples of 16 bytes cannot be read 16 bytes at a
/// time. kAligned: every row of A, B and C starts at a multiple of 16 bytes.
template <Layout kLayout, bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    contiguous_columns_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                              int M, int N, int K) {
  alignas(16) __shared__ float As[BK][kRowOfAs];
  alignas(16) __shared__ float Bs[BK * kRowOfBs<kLayout>];
  const int thread_row = threadIdx.x / kThreadsAcross * TM;
  const int thread_col = threadIdx.x % kThreadsAcross * TN;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    Fetched<BM, BK, kThreads> a_tile;
    Fetched<BK, BN, kThreads> b_tile;
    fetch_a<BM, BK, kThreads, kAligned>(a_tile, A, K, M - corner.row, K - k0);
    fetch_b<BK, BN, kThreads, kAligned>(b_tile, B, N, K - k0, N - corner.col);
    store_a_transposed<kRowOfAs, kAligned>(&As[0][0], a_tile);
    store_b_at_places<kLayout, kAligned>(Bs, b_tile);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load_fragment<TM, kVector>(a, &As[k][thread_row]);
      if constexpr (kLayout == Layout::kPlain) {
        load_fragment<TN, kVector>(b, &Bs[place<kLayout>(k, thread_col)]);
      } else {
#pragma unroll
        for (int j = 0; j < TN; ++j) b[j] = Bs[place<kLayout>(k, thread_col + j)];
      }
      add_outer_product(sums, a, b);
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  store_sums<kAligned, kVector, kVector>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

template <Layout kLayout>
LaunchPlan plan_of() {
  return {contiguous_columns_kernel<kLayout, false>, dim3(kThreads), BM, BN,
          contiguous_columns_kernel<kLayout, true>};
}

LaunchPlan plan(const Parameters& parameters) {
  const std::string layout = text(parameters, "layout");
  if (layout == "plain") return plan_of<Layout::kPlain>();
  if (layout == "linearised") return plan_of<Layout::kLinearised>();
  if (layout == "offset") return plan_of<Layout::kOffset>();
  throw std::invalid_argument("layout = " + layout + " is not among plain, linearised, offset");
}

ParameterSpec layout_parameter() {
  return choice(
      "layout",
      "of B's tile in shared memory. plain: as in memory; linearised: the threads' first columns side by "
      "side, then their second; offset: rows five floats longer",
      {std::string("plain"), std::string("linearised"), std::string("offset")}, std::string("plain"),
      ", {layout}");
}

}  // namespace

const Implementation& contiguous_columns() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.contiguous_columns",
                .name = "contiguous columns",
                .family = "register tiles",
                .summary =
                    "as gpu.transposed_a, with a thread's eight columns side by side, so that banks conflict",
                .source = "SGEMM_CUDA (Boehm), kernels 6 to 8; data/published/t4-notebook.csv, v5",
                .parameters = {layout_parameter()}}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
