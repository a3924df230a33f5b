// finds: barrier-divergence
// Each thread takes as many rounds as its row needs, and waits in each.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float row_of_b[64];
  const int row = threadIdx.x;
  const int col = blockIdx.x;
  float sum = 0;
  const int rounds = row < M ? N : 0;
  for (int k = 0; k < rounds; ++k) {
    if (row == 0) row_of_b[0] = B[k * K + col];
    __syncthreads();  // <- barrier-divergence
    sum += A[row * N + k] * row_of_b[0];
    __syncthreads();  // <- barrier-divergence
  }
  __syncthreads();  // <- barrier-divergence
  if (row < M) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<K, (M + 31) / 32 * 32 + 32>>>(A, B, C, M, N, K);
}
