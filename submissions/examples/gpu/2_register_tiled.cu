// An 8×8 piece of C in each thread's registers.
//
// What it buys: in 1_tiled.cu each multiplication loads two floats from shared memory. Here a thread loads 8
// of A and 8 of B and multiplies each with each: 64 multiplications for 16 loads. 16×16 threads make a tile
// of 128×128, so that a float fetched from global memory is used 128 times instead of 32. What is left: the
// loads are of one float each, and while the block waits for the next tiles, it computes nothing.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kSide = 128;   // of a block's tile of C
constexpr int kDepth = 8;    // of a tile along the inner dimension
constexpr int kAcross = 16;  // threads along each side of the tile
constexpr int kThreads = kAcross * kAcross;
constexpr int kPiece = kSide / kAcross;  // rows and columns of a thread
constexpr int kLoads = kSide * kDepth / kThreads;

__global__ void __launch_bounds__(kThreads)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  // A's tile lies transposed, [inner][row], so that a thread reads its rows of one step side by side; one
  // column more than needed keeps the transposing stores of a warp off each other's banks.
  __shared__ float tile_a[kDepth][kSide + 1];
  __shared__ float tile_b[kDepth][kSide];

  const int tiles_across = (K - 1) / kSide + 1;
  const int row0 = blockIdx.x / tiles_across * kSide;
  const int col0 = blockIdx.x % tiles_across * kSide;
  // A thread's rows and columns lie kAcross apart: neighbouring threads then read neighbouring floats of
  // tile_b and write neighbouring floats of C.
  const int thread_row = threadIdx.x / kAcross;
  const int thread_col = threadIdx.x % kAcross;

  A += static_cast<std::int64_t>(row0) * N;
  B += col0;
  float sums[kPiece][kPiece] = {};
  for (int left = N; left > 0; left -= kDepth) {  // of the inner dimension
#pragma unroll
    for (int load = 0; load < kLoads; ++load) {
      const int at = load * kThreads + threadIdx.x;
      const int row = at / kDepth, i_a = at % kDepth;
      const bool in_a = row0 + row < M && i_a < left;
      tile_a[i_a][row] = in_a ? A[static_cast<std::int64_t>(row) * N + i_a] : 0;
      const int i_b = at / kSide, col = at % kSide;
      const bool in_b = i_b < left && col0 + col < K;
      tile_b[i_b][col] = in_b ? B[static_cast<std::int64_t>(i_b) * K + col] : 0;
    }
    A += kDepth;
    B += static_cast<std::int64_t>(kDepth) * K;
    __syncthreads();  // both tiles must be complete before anyone reads them

#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      float a[kPiece], b[kPiece];
#pragma unroll
      for (int p = 0; p < kPiece; ++p) {
        a[p] = tile_a[i][p * kAcross + thread_row];
        b[p] = tile_b[i][p * kAcross + thread_col];
      }
#pragma unroll
      for (int p = 0; p < kPiece; ++p) {
#pragma unroll
        for (int q = 0; q < kPiece; ++q) sums[p][q] += a[p] * b[q];
      }
    }
    __syncthreads();  // everyone must have read them before the next tiles overwrite them
  }

#pragma unroll
  for (int p = 0; p < kPiece; ++p) {
    const int row = row0 + p * kAcross + thread_row;
#pragma unroll
    for (int q = 0; q < kPiece; ++q) {
      const int col = col0 + q * kAcross + thread_col;
      if (row < M && col < K) C[static_cast<std::int64_t>(row) * K + col] = sums[p][q];
    }
  }
}

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned tiles_down = (M - 1) / kSide + 1;
  const unsigned tiles_across = (K - 1) / kSide + 1;
  multiply<<<tiles_down * tiles_across, kThreads>>>(A, B, C, M, N, K);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
    std::fprintf(stderr, "multiply: %s\n", cudaGetErrorString(status));
    std::abort();
  }
}
