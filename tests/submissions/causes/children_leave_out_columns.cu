// verdict: incorrect
// pattern: partly-written
// says: where K is a multiple of 64
// The last columns are left out.
__global__ void row_of_c(const float* A, const float* B, float* C, int row, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[(long long)row * N + k] * B[(long long)k * K + col];
  C[(long long)row * K + col] = sum;
}

__global__ void rows(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int row = blockIdx.x; row < M; row += gridDim.x)
    if (threadIdx.x == 0) row_of_c<<<K / 64, 64>>>(A, B, C, row, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const int blocks = M < 256 ? M : 256;
  rows<<<blocks, 32>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
