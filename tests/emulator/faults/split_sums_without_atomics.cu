// finds: race
// says: nothing says which of the two blocks comes first
// names: C
// operation: read
// Blocks share the inner dimension, and each adds its part to C by an addition of its own.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = blockIdx.z; k < N; k += gridDim.z) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] += sum;  // <- race
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaMemset(C, 0, sizeof(float) * M * K);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16, 4);
  multiply<<<blocks, dim3(16, 16)>>>(A, B, C, M, N, K);
}
