// rule: type = "bfloat16", result = "float32"
// verdict: correct

#include <cuda_bf16.h>

__global__ void multiply(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i)
    sum += __bfloat162float(A[(long long)row * N + i]) * __bfloat162float(B[(long long)i * K + col]);
  C[(long long)row * K + col] = sum;
}

extern "C" void solve(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
