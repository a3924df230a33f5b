// verdict: out-of-bounds
// pattern: read-past-end
// Two steps of the inner dimension at a time. Where N is odd, the last one reads a row of B that does not
// exist and multiplies it by zero, which is not harmless.

#include <cstdint>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= K) return;
  const float* a = A + static_cast<std::int64_t>(row) * N;
  const float* b = B + col;
  float sum = 0;
  for (int i = 0; i < N; i += 2) {
    const float a1 = i + 1 < N ? a[i + 1] : 0;
    sum += a[i] * b[0] + a1 * b[K];
    b += 2 * static_cast<std::int64_t>(K);
  }
  C[static_cast<std::int64_t>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((M + 15) / 16, (K + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
