// As many launches by a kernel may be pending as the host says.
__global__ void element(const float* A, const float* B, float* C, int row, int col, int N, int K) {
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

__global__ void rows(const float* A, const float* B, float* C, int N, int K) {
  const int row = blockIdx.x;
  for (int col = 0; col < K; ++col) element<<<1, 1>>>(A, B, C, row, col, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16384);
  rows<<<M, 1>>>(A, B, C, N, K);
}
