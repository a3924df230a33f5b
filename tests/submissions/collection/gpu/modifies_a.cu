// verdict: incorrect
// pattern: inputs-modified
// Halves A where it lies, and doubles the sums at the end: C is right, but A is not ours to change.

#include <cstdint>

__global__ void halve(float* A, std::int64_t count) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < count) A[at] *= 0.5f;
}

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) {
    sum += A[static_cast<std::int64_t>(row) * N + i] * B[static_cast<std::int64_t>(i) * K + col];
  }
  C[static_cast<std::int64_t>(row) * K + col] = 2 * sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t count = static_cast<std::int64_t>(M) * N;
  halve<<<static_cast<unsigned>((count + 255) / 256), 256>>>(const_cast<float*>(A), count);
  const dim3 threads(16, 16);
  const dim3 blocks((M + 15) / 16, (K + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
