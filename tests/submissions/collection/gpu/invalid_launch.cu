// verdict: incorrect
// pattern: nothing-written, launch-refused
// Blocks of 64×64 threads, four times what a block may have. The launch fails, and nobody asks.

#include <cstdint>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) {
    sum += A[static_cast<std::int64_t>(row) * N + i] * B[static_cast<std::int64_t>(i) * K + col];
  }
  C[static_cast<std::int64_t>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(64, 64);
  const dim3 blocks((M + 63) / 64, (K + 63) / 64);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
