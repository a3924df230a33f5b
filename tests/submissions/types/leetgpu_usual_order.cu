// rule: type = "float16", inner = "K", alpha_beta = true
// verdict: out-of-bounds
// pattern: read-past-end
// says: this is the first shape where M, N and K differ

#include <cuda_fp16.h>

__global__ void gemm(const half* A, const half* B, half* C, int M, int N, int K, float alpha, float beta) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i)
    sum += __half2float(A[(long long)row * N + i]) * __half2float(B[(long long)i * K + col]);
  const long long at = (long long)row * K + col;
  C[at] = __float2half(alpha * sum + beta * __half2float(C[at]));
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K, float alpha, float beta) {
  gemm<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, alpha, beta);
}
