#include "gpu/describe.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int kSide = 32;

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One thread per element of C, straight from global memory. A warp's 32 threads lie along a row of C: its
/// loads of B and its store are one 128-byte line each, its load of A is one element for all. Source: CUDA
/// C++ Programming Guide, matrix multiplication without shared memory.
__global__ void __launch_bounds__(kSide* kSide)
    naive_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const TileCorner corner = tile_corner(N, kSide, kSide);
  const int row = corner.row + threadIdx.y;
  const int col = corner.col + threadIdx.x;
  if (row >= M || col >= N) return;

  float sum = 0;
  for (int k = 0; k < K; ++k) {
    sum += A[static_cast<std::int64_t>(row) * K + k] * B[static_cast<std::int64_t>(k) * N + col];
  }
  C[static_cast<std::int64_t>(row) * N + col] = sum;
}

LaunchPlan plan(const Parameters&) {
  LaunchPlan launch{naive_kernel, dim3(kSide, kSide), kSide, kSide};
  launch.shares_loads = false;
  return launch;
}

}  // namespace

const Implementation& naive() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.naive",
                .name = "naive",
                .family = "plain",
                .summary = "one thread per element of C, warps along its rows",
                .source = "CUDA C++ Programming Guide, matrix multiplication without shared memory",
                .counterpart = "cpu.openmp"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
