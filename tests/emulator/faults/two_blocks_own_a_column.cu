// finds: race
// names: C
// says: nothing says which of the two blocks comes first
// Tiles are 16 wide and blocks begin every 15 columns: what they share is computed from different inner ranges.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 15 + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  if (threadIdx.x == 15) sum = 0;
  C[row * K + col] = sum;  // <- race
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 14) / 15, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
