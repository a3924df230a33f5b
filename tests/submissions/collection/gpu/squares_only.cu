// verdict: incorrect
// pattern: only-squares, wrong-dimension
// Threads are numbered through, and the number is split by M instead of K. The guards keep it inside C.

#include <cstdint>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = at / M;
  const std::int64_t col = at % M;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[static_cast<std::int64_t>(i) * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t count = static_cast<std::int64_t>(M) * K;
  cudaMemset(C, 0, count * sizeof(float));
  multiply<<<static_cast<unsigned>((count + 255) / 256), 256>>>(A, B, C, M, N, K);
}
