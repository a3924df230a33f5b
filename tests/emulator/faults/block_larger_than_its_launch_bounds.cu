// finds: invalid-launch
// says: compiled for at most 128 threads
// error: any
// The kernel is compiled for blocks of 128 threads and launched with 256.

template <int SIDE>
__global__ void __launch_bounds__(SIDE* SIDE / 2)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * SIDE + threadIdx.y;
  const int col = blockIdx.x * SIDE + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  multiply<16><<<blocks, dim3(16, 16)>>>(A, B, C, M, N, K);  // <- invalid-launch
}
