// verdict: timeout
// pattern: too-slow
// The step along the inner dimension is rounded down to a multiple of 4: below 4 it is 0, and the kernel
// never ends.

#include <cstdint>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= K) return;
  float sum = 0;
  const int step = min(N, 32) / 4 * 4;
  for (int i0 = 0; i0 < N; i0 += step) {
    for (int i = i0; i < min(N, i0 + step); ++i) {
      sum += A[static_cast<std::int64_t>(row) * N + i] * B[static_cast<std::int64_t>(i) * K + col];
    }
    // partial sums are visible at once, as for a progress bar; it keeps the loop from being optimised away
    *const_cast<volatile float*>(&C[static_cast<std::int64_t>(row) * K + col]) = sum;
  }
  C[static_cast<std::int64_t>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((M + 15) / 16, (K + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
