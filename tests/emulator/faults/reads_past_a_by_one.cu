// finds: out-of-bounds
// names: A
// The last round of the loop reads one element behind A's row; in the last row that is behind A.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  float next = A[row * N];
  for (int k = 0; k < N; ++k) {
    sum += next * B[k * K + col];
    next = A[row * N + k + 1];  // <- out-of-bounds
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
