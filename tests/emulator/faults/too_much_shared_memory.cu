// finds: too-much-shared | invalid-launch
// error: any
// 60 kB of dynamic shared memory without asking for more than 48.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ float row_of_a[];
  const int row = blockIdx.x;
  for (int k = threadIdx.x; k < N; k += blockDim.x) row_of_a[k] = A[row * N + k];
  __syncthreads();
  for (int col = threadIdx.x; col < K; col += blockDim.x) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += row_of_a[k] * B[k * K + col];
    C[row * K + col] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<M, 64, 60 << 10>>>(A, B, C, M, N, K);  // <- too-much-shared, invalid-launch
}
