// The default stream waits for streams that are not made with cudaStreamNonBlocking, and those for it.

__global__ void add_product(const float* A, const float* B, float* C, int M, int N, int K, int from, int to) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = C[row * K + col];
  for (int k = from; k < to; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16), threads(16, 16);
  cudaMemsetAsync(C, 0, sizeof(float) * M * K);
  add_product<<<blocks, threads, 0, stream>>>(A, B, C, M, N, K, 0, N / 2);
  add_product<<<blocks, threads>>>(A, B, C, M, N, K, N / 2, N);
  cudaStreamSynchronize(nullptr);
  cudaStreamDestroy(stream);
}
