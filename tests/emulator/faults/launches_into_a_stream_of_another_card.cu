// devices: 2
// finds: invalid-launch
// says: invalid resource handle
// error: 0
// The stream was made on the second card, and the first is the current one again.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  cudaSetDevice(1);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaSetDevice(0);
  multiply<<<blocks, threads, 0, stream>>>(A, B, C, M, N, K);  // <- invalid-launch
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
