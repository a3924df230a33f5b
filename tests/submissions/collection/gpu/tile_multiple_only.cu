// verdict: incorrect
// pattern: only-multiples, partly-written
// Whole tiles of 16 in all three dimensions, and nothing for what is left over at the edges.

#include <cstdint>

constexpr int kTile = 16;

__global__ void multiply(const float* A, const float* B, float* C, int N, int K) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const std::int64_t row = blockIdx.y * kTile + threadIdx.y;
  const std::int64_t col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < N / kTile; ++t) {
    tile_a[threadIdx.y][threadIdx.x] = A[row * N + t * kTile + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = B[static_cast<std::int64_t>(t * kTile + threadIdx.y) * K + col];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(kTile, kTile);
  const dim3 blocks(K / kTile, M / kTile);
  multiply<<<blocks, threads>>>(A, B, C, N, K);
}
