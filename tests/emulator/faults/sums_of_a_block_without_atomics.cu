// finds: race
// says: with no __syncthreads between them
// names: C
// Two halves of a block share the inner dimension, and both add to the same element of C.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * 32 + threadIdx.x % 32;
  const int half = threadIdx.x / 32;
  if (col >= K) return;
  float sum = 0;
  for (int k = half; k < N; k += 2) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] += sum;  // <- race
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaMemset(C, 0, sizeof(float) * M * K);
  multiply<<<dim3((K + 31) / 32, M), 64>>>(A, B, C, M, N, K);
}
