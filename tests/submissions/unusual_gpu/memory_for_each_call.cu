// verdict: correct
// A transposed copy of B in memory that is asked for, and given back, in each call.

__global__ void transpose(const float* B, float* to, int N, int K) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < static_cast<long>(N) * K) to[i % K * N + i / K] = B[i];
}

__global__ void multiply(const float* A, const float* columns, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i)
    sum += A[static_cast<long>(row) * N + i] * columns[static_cast<long>(col) * N + i];
  C[static_cast<long>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const long count = static_cast<long>(N) * K;
  float* columns = nullptr;
  cudaMalloc(&columns, sizeof(float) * count);
  transpose<<<static_cast<unsigned>((count + 255) / 256), 256>>>(B, columns, N, K);
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, columns, C, M, N, K);
  cudaFree(columns);
}
