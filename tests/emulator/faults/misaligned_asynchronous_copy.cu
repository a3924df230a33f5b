// finds: misaligned
// error: 716
// Copies of 16 bytes from rows of B that begin at a multiple of 16 bytes only where K is a multiple of 4.

#include <cuda_pipeline.h>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float row_of_b[4];
  const int row = threadIdx.x;
  const int col = blockIdx.x * 4;
  float sums[4] = {};
  for (int k = 0; k < N; ++k) {
    if (row == 0) __pipeline_memcpy_async(row_of_b, &B[k * K + col], 16);  // <- misaligned
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < 4; ++i) sums[i] += row < M ? A[row * N + k] * row_of_b[i] : 0;
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    if (row < M) C[row * K + col + i] = sums[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<K / 4, 64>>>(A, B, C, M, N, K);
}
