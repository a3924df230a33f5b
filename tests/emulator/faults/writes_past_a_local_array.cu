// finds: index-beyond-array
// error: 700
// Each thread holds four columns, and writes a fifth.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K, int columns) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (row >= M || col >= K) return;
  float sums[4] = {0, 0, 0, 0};
  for (int k = 0; k < N; ++k) {
    for (int i = 0; i < columns; ++i) {
      sums[i] += A[row * N + k] * (col + i < K ? B[k * K + col + i] : 0);  // <- index-beyond-array
    }
  }
  for (int i = 0; i < 4; ++i) {
    if (col + i < K) C[row * K + col + i] = sums[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 63) / 64, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, 5);
}
