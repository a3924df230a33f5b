// finds: unordered-work
// says: the host has not waited
// The second part is written into the pinned buffer while the copy of the first out of it may still be under way.

__global__ void multiply(const float* A, const float* B, float* C, const float* zero, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = zero[0];
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *staging = nullptr, *zero = nullptr;
  cudaMallocHost(&staging, 2 * sizeof(float));
  cudaMalloc(&zero, 2 * sizeof(float));
  staging[0] = 0;
  cudaMemcpyAsync(zero, staging, sizeof(float), cudaMemcpyHostToDevice, stream);  // <- unordered-work
  staging[0] = 0;
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, stream>>>(A, B, C, zero, M, N, K);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(zero);
  cudaFreeHost(staging);
}
