// B is transposed in one stream while C is cleared in another; an event orders the product behind both.

__global__ void transpose(const float* from, float* to, int rows, int columns) {
  __shared__ float tile[32][33];
  int row = blockIdx.y * 32 + threadIdx.y;
  int col = blockIdx.x * 32 + threadIdx.x;
  for (int i = 0; i < 32; i += 8) {
    if (row + i < rows && col < columns) tile[threadIdx.y + i][threadIdx.x] = from[(row + i) * columns + col];
  }
  __syncthreads();
  row = blockIdx.x * 32 + threadIdx.y;
  col = blockIdx.y * 32 + threadIdx.x;
  for (int i = 0; i < 32; i += 8) {
    if (row + i < columns && col < rows) to[(row + i) * rows + col] = tile[threadIdx.x][threadIdx.y + i];
  }
}

__global__ void add_product(const float* A, const float* Bt, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = C[row * K + col];
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * Bt[col * N + k];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t cleared;
  cudaEventCreateWithFlags(&cleared, cudaEventDisableTiming);
  float* transposed = nullptr;
  cudaMalloc(&transposed, sizeof(float) * N * K);
  cudaMemsetAsync(C, 0, sizeof(float) * M * K, other);
  cudaEventRecord(cleared, other);
  transpose<<<dim3((K + 31) / 32, (N + 31) / 32), dim3(32, 8), 0, one>>>(B, transposed, N, K);
  cudaStreamWaitEvent(one, cleared, 0);
  add_product<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, one>>>(A, transposed, C, M, N, K);
  cudaStreamSynchronize(one);
  cudaFree(transposed);
  cudaEventDestroy(cleared);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
}
