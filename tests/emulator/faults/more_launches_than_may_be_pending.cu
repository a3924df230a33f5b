// finds: invalid-launch
// says: more launches by kernels are pending than cudaLimitDevRuntimePendingLaunchCount says
// shape: 5000x3x2
// On an H200, too, a part of the rows was missing, another part in each call.
__global__ void row_of_c(const float* A, const float* B, float* C, int row, int N, int K) {
  const int col = threadIdx.x;
  if (col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

__global__ void rows(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int row = blockIdx.x; row < M; row += gridDim.x)
    if (threadIdx.x == 0) row_of_c<<<1, K>>>(A, B, C, row, N, K);  // <- invalid-launch
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  rows<<<256, 32>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
