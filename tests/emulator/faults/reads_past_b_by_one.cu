// finds: out-of-bounds
// names: B
// One row too many: its first element is the first behind B.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k <= N; ++k) {
    const float a = k < N ? A[row * N + k] : 0;
    sum += a * B[k * K + col];  // <- out-of-bounds
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
