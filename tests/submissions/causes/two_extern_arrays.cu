// verdict: incorrect
// pattern: same-shared-address
// says: both extern __shared__ arrays of one kernel
extern __shared__ float left[];
extern __shared__ float right[];
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int T = 16, x = threadIdx.x, y = threadIdx.y;
  const long row = (long)blockIdx.x * T + y, col = (long)blockIdx.y * T + x;
  float sum = 0;
  for (long k0 = 0; k0 < N; k0 += T) {
    left[y * T + x] = row < M && k0 + x < N ? A[row * N + k0 + x] : 0;
    right[y * T + x] = col < K && k0 + y < N ? B[(k0 + y) * K + col] : 0;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += left[y * T + k] * right[k * T + x];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((M + 15) / 16, (K + 15) / 16), dim3(16, 16), 2 * 256 * sizeof(float)>>>(A, B, C, M, N, K);
}
