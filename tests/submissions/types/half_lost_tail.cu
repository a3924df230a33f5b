// rule: type = "float16"
// verdict: incorrect
// pattern: inner-tail
// says: of each sum (inner index 16) is missing

#include <cuda_fp16.h>

__global__ void multiply(const half* A, const half* B, half* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N / 8 * 8; ++i)
    sum += __half2float(A[(long long)row * N + i]) * __half2float(B[(long long)i * K + col]);
  C[(long long)row * K + col] = __float2half(sum);
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K) {
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
