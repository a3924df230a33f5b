// rule: type = "float16", inner = "K", alpha_beta = true
// verdict: incorrect
// pattern: alpha-beta
// says: C holds alpha·A·B, without beta·C

#include <cuda_fp16.h>

__global__ void gemm(const half* A, const half* B, half* C, int M, int N, int K, float alpha) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int i = 0; i < K; ++i)
    sum += __half2float(A[(long long)row * K + i]) * __half2float(B[(long long)i * N + col]);
  const long long at = (long long)row * N + col;
  C[at] = __float2half(alpha * sum);
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K, float alpha, float beta) {
  gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, alpha);
  (void)beta;
}
