// A is M×K, B is K×N, C is M×N, as in BLAS: rows, inner, columns are M, K, N.
#include <cuda_fp16.h>

constexpr int kSide = 16;  // of a block of threads

__global__ void gemm(const half* A, const half* B, half* C, int M, int N, int K, float alpha, float beta) {
  const int row = blockIdx.y * kSide + threadIdx.y;
  const int col = blockIdx.x * kSide + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  // TODO: add up the products of row `row` of A and column `col` of B, in float
  (void)A, (void)B, (void)K;
  // TODO: beta times what C held before is part of the result
  (void)beta;
  C[static_cast<long long>(row) * N + col] = __float2half(alpha * sum);
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K, float alpha, float beta) {
  gemm<<<dim3((N - 1) / kSide + 1, (M - 1) / kSide + 1), dim3(kSide, kSide)>>>(A, B, C, M, N, K, alpha, beta);
}
