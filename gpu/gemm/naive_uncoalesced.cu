#include "gpu/describe.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int kSide = 32;

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// As gpu.naive with the threads' rows and columns swapped: a warp's 32 threads lie down a column of C, so
/// that its loads of A and its store touch 32 lines for 32 elements. Source: SGEMM_CUDA (Boehm), kernel 1.
__global__ void __launch_bounds__(kSide* kSide)
    naive_uncoalesced_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const TileCorner corner = tile_corner(N, kSide, kSide);
  const int row = corner.row + threadIdx.x;
  const int col = corner.col + threadIdx.y;
  if (row >= M || col >= N) return;

  float sum = 0;
  for (int k = 0; k < K; ++k) {
    sum += A[static_cast<std::int64_t>(row) * K + k] * B[static_cast<std::int64_t>(k) * N + col];
  }
  C[static_cast<std::int64_t>(row) * N + col] = sum;
}

LaunchPlan plan(const Parameters&) {
  LaunchPlan launch{naive_uncoalesced_kernel, dim3(kSide, kSide), kSide, kSide};
  launch.shares_loads = false;
  return launch;
}

}  // namespace

const Implementation& naive_uncoalesced() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.naive_uncoalesced",
                .name = "naive, uncoalesced",
                .family = "plain",
                .summary = "one thread per element of C, warps down its columns",
                .source = "SGEMM_CUDA (Boehm), kernel 1",
                .variant_of = "gpu.naive"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
