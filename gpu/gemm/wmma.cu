// The tensor cores by the C++ interface that came with them (sm_70): a warp holds 16×16 pieces of A, B and C, which lie in its
// registers in an order that is not told, and multiplies them by one call.

#include <mma.h>

#include "gpu/describe.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/wmma/typed_row.h"
#include "gpu/gemm/wmma/types.h"

namespace gemmlab::gpu {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int kPiece = 16;  // rows, columns and terms of a fragment
constexpr int kTile = 64;   // a block computes kTile×kTile of C
constexpr int kTerms = 32;  // and takes so many terms of the sums at a time
constexpr int kWarp = 32;
constexpr int kWarpTile = 32;  // a warp computes kWarpTile×kWarpTile: 2×2 fragments
constexpr int kWarpsAcross = kTile / kWarpTile;
constexpr int kThreads = kWarp * kWarpsAcross * kWarpsAcross;
constexpr int kFragments = kWarpTile / kPiece;

/// A rows×cols part of a row-major matrix into shared memory; zeros where the matrix ends.
template <int kRows, int kCols, typename In>
__device__ void load_part(In (&to)[kRows][kCols], const In* from, int row0, int col0, int rows, int cols) {
  for (int i = threadIdx.x; i < kRows * kCols; i += kThreads) {
    const int row = row0 + i / kCols;
    const int col = col0 + i % kCols;
    const bool inside = row < rows && col < cols;
    to[i / kCols][i % kCols] = inside ? from[static_cast<std::int64_t>(row) * cols + col] : In(0);
  }
}

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major, A and B of In, C of Out, summed in Sum. C is overwritten, never read.
/// A block of four warps takes parts of A and B through shared memory. Source: CUDA C++ Programming Guide, warp matrix functions.
template <typename In, typename Out, typename Sum>
__global__ void __launch_bounds__(kThreads)
    wmma_kernel(const In* A, const In* B, Out* C, int M, int N, int K) {
#if __CUDA_ARCH__ >= 800 || __CUDA_ARCH__ == 0
  constexpr bool kHas = true;
#else
  constexpr bool kHas = !std::is_same_v<In, tensor_core::Bfloat16>;
#endif
  if constexpr (kHas) {
    __shared__ __align__(32) In part_a[kTile][kTerms];
    __shared__ __align__(32) In part_b[kTerms][kTile];
    __shared__ __align__(32) Sum sums[kTile][kTile];
    const TileCorner corner = tile_corner(N, kTile, kTile);
    const int warp_row = threadIdx.x / kWarp / kWarpsAcross * kWarpTile;
    const int warp_col = threadIdx.x / kWarp % kWarpsAcross * kWarpTile;

    wmma::fragment<wmma::accumulator, kPiece, kPiece, kPiece, Sum> c[kFragments][kFragments];
    for (auto& row : c) {
      for (auto& one : row) wmma::fill_fragment(one, Sum(0));
    }
    for (int term0 = 0; term0 < K; term0 += kTerms) {
      load_part(part_a, A, corner.row, term0, M, K);
      load_part(part_b, B, term0, corner.col, K, N);
      __syncthreads();
      for (int term = 0; term < kTerms; term += kPiece) {
        wmma::fragment<wmma::matrix_a, kPiece, kPiece, kPiece, In, wmma::row_major> a[kFragments];
        wmma::fragment<wmma::matrix_b, kPiece, kPiece, kPiece, In, wmma::row_major> b[kFragments];
        for (int i = 0; i < kFragments; ++i) {
          wmma::load_matrix_sync(a[i], &part_a[warp_row + i * kPiece][term], kTerms);
          wmma::load_matrix_sync(b[i], &part_b[term][warp_col + i * kPiece], kTile);
        }
        for (int i = 0; i < kFragments; ++i) {
          for (int j = 0; j < kFragments; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
        }
      }
      __syncthreads();
    }
    // which thread holds which element is not told: through shared memory to where they belong
    for (int i = 0; i < kFragments; ++i) {
      for (int j = 0; j < kFragments; ++j) {
        wmma::store_matrix_sync(&sums[warp_row + i * kPiece][warp_col + j * kPiece], c[i][j], kTile,
                                wmma::mem_row_major);
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
      const int row = corner.row + i / kTile;
      const int col = corner.col + i % kTile;
      if (row < M && col < N)
        tensor_core::store(&C[static_cast<std::int64_t>(row) * N + col], sums[i / kTile][i % kTile]);
    }
  }
}

template <typename In, typename Out, typename Sum = float>
struct Plan {
  static TypedPlan plan() {
    TypedPlan found;
    found.kernel = reinterpret_cast<const void*>(&wmma_kernel<In, Out, Sum>);
    found.threads = kThreads;
    found.BM = found.BN = kTile;
    found.compute_capability = std::is_same_v<In, tensor_core::Bfloat16> ? 80 : 75;
    return found;
  }
};
template <typename In, typename Out>
using PlanOf = Plan<In, Out>;

TypedPlan plan(const GemmTypes& types) {
  if (types.type == ElementType::kInt8) return Plan<signed char, std::int32_t, std::int32_t>::plan();
  return tensor_core::of_16_bits<PlanOf>(types);
}

}  // namespace

const Implementation& wmma() {
  static const TypedImplementation row(
      describe(
          {.id = "gpu.wmma",
           .name = "WMMA",
           .family = "matrix units",
           .summary = "16×16×16 fragments by the C++ interface of the tensor cores, through shared memory",
           .source = "CUDA C++ Programming Guide, warp matrix functions",
           .counterpart = "cpu.widened"}),
      plan);
  return row;
}

}  // namespace gemmlab::gpu
