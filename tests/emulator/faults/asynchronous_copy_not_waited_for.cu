// finds: race | uninitialised-shared
// may find: race, uninitialised-shared
// The tiles are read behind a barrier, but no thread has waited for its own copies.

#include <cuda_pipeline.h>

constexpr int kTile = 16;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[kTile][kTile];
  __shared__ float Bs[kTile][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * kTile + y;
  const int col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += kTile) {
    const bool in_a = row < M && k0 + x < N;
    const bool in_b = k0 + y < N && col < K;
    __pipeline_memcpy_async(&As[y][x], in_a ? &A[row * N + k0 + x] : A, 4, in_a ? 0 : 4);    // <- race
    __pipeline_memcpy_async(&Bs[y][x], in_b ? &B[(k0 + y) * K + col] : B, 4, in_b ? 0 : 4);  // <- race
    __pipeline_commit();
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += As[y][k] * Bs[k][x];  // <- race, uninitialised-shared
    __syncthreads();
    __pipeline_wait_prior(0);
  }
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 blocks((K + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  multiply<<<blocks, dim3(kTile, kTile)>>>(A, B, C, M, N, K);
}
