// A pipeline of two stages by cp.async: the next tiles are on their way while these are multiplied.

#include <cuda_pipeline.h>

constexpr int kTile = 16;

__device__ void load(float (&As)[kTile][kTile], float (&Bs)[kTile][kTile], const float* A, const float* B,
                     int row, int col, int k0, int M, int N, int K) {
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const bool in_a = row < M && k0 + x < N;
  const bool in_b = k0 + y < N && col < K;
  __pipeline_memcpy_async(&As[y][x], in_a ? &A[row * N + k0 + x] : A, 4, in_a ? 0 : 4);
  __pipeline_memcpy_async(&Bs[y][x], in_b ? &B[(k0 + y) * K + col] : B, 4, in_b ? 0 : 4);
  __pipeline_commit();
}

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[2][kTile][kTile];
  __shared__ float Bs[2][kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  load(As[0], Bs[0], A, B, row, col, 0, M, N, K);
  for (int k0 = 0, now = 0; k0 < N; k0 += kTile, now ^= 1) {
    load(As[now ^ 1], Bs[now ^ 1], A, B, row, col, k0 + kTile, M, N, K);  // beyond the end: zeros
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += As[now][threadIdx.y][k] * Bs[now][k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 blocks((K + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  multiply<<<blocks, dim3(kTile, kTile)>>>(A, B, C, M, N, K);
}
