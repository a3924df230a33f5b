// finds: out-of-bounds
// names: C
// The grid is rounded up to whole tiles, and nothing keeps threads beyond the last row from writing.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= K) return;
  float sum = 0;
  for (int k = 0; k < N && row < M; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;  // <- out-of-bounds
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
