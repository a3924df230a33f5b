// finds: out-of-bounds | illegal-address
// The copy of B is freed before the kernel that reads it is launched.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) {
    sum += A[row * N + k] * B[k * K + col];  // <- out-of-bounds, illegal-address
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* copy = nullptr;
  cudaMalloc(&copy, sizeof(float) * N * K);
  cudaMemcpy(copy, B, sizeof(float) * N * K, cudaMemcpyDeviceToDevice);
  cudaFree(copy);
  const dim3 threads(16, 16);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  multiply<<<blocks, threads>>>(A, copy, C, M, N, K);
}
