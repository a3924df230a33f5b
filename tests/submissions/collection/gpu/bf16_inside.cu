// verdict: reduced-precision
// pattern: reduced-precision
// Rounds A and B to bfloat16 before multiplying: exact for small integers, 8 bits for all else.

#include <cuda_bf16.h>

#include <cstdint>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) {
    const __nv_bfloat16 a = __float2bfloat16(A[static_cast<std::int64_t>(row) * N + i]);
    const __nv_bfloat16 b = __float2bfloat16(B[static_cast<std::int64_t>(i) * K + col]);
    sum += __bfloat162float(a) * __bfloat162float(b);
  }
  C[static_cast<std::int64_t>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((M + 15) / 16, (K + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
