// finds: race
// says: nothing says which of the two blocks comes first
// names: allocation 4
// The first blocks transpose B into memory of their own, and all blocks read it in the same launch.

__global__ void multiply(const float* A, const float* B, float* transposed, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (col >= K) return;
  if (row == 0) {
    for (int k = 0; k < N; ++k) transposed[col * N + k] = B[k * K + col];  // <- race
  }
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * transposed[col * N + k];  // <- race
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* transposed = nullptr;
  cudaMalloc(&transposed, sizeof(float) * N * K);
  multiply<<<dim3((K + 31) / 32, M), 32>>>(A, B, transposed, C, M, N, K);
  cudaFree(transposed);
}
