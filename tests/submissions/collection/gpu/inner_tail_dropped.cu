// verdict: incorrect
// pattern: inner-tail
// Eight steps of the inner dimension at a time; the N % 8 that are left are never taken.

#include <cstdint>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i0 = 0; i0 < N / 8; ++i0) {
#pragma unroll
    for (int i = i0 * 8; i < i0 * 8 + 8; ++i)
      sum += A[static_cast<std::int64_t>(row) * N + i] * B[static_cast<std::int64_t>(i) * K + col];
  }
  C[static_cast<std::int64_t>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((M + 15) / 16, (K + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
