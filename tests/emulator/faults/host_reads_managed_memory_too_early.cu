// finds: unordered-work
// says: the host has not waited
// The kernel counts the rows in managed memory, and the host reads the number while it may still run.

__global__ void multiply(const float* A, const float* B, float* C, int* rows, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
  if (row == M - 1 && col == K - 1) rows[0] = M;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  int* rows = nullptr;
  cudaMallocManaged(&rows, sizeof(int));
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, rows, M, N, K);
  const volatile int done = rows[0];  // <- unordered-work
  static_cast<void>(done);
  cudaDeviceSynchronize();
  cudaFree(rows);
}
