// verdict: incorrect
// pattern: uninitialised-variable
// says: sums (line 7) is added to in line 9
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const long row = (long)blockIdx.x * blockDim.x + threadIdx.x, col0 = (long)blockIdx.y * 3;
  if (row >= M) return;
  float sums[3];
  for (long k = 0; k < N; ++k)
    for (int j = 0; j < 3; ++j) sums[j] += A[row * N + k] * B[k * K + min(col0 + j, K - 1L)];
  for (int j = 0; j < 3; ++j)
    if (col0 + j < K) C[row * K + col0 + j] = sums[j];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((M + 63) / 64, (K + 2) / 3), 64>>>(A, B, C, M, N, K);
}
