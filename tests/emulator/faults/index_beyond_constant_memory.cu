// finds: index-beyond-array
// error: 700
// says: float [8]
// Weights in __constant__ memory, with an index that runs beyond them.

__constant__ float weights[8];

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) {
    const float weight = weights[k % 9];  // <- index-beyond-array
    sum += A[row * N + k] * B[k * K + col] * weight;
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  cudaMemcpyToSymbol(weights, ones, sizeof ones);
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
