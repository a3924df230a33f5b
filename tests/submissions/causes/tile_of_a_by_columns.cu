// verdict: incorrect
// pattern: tile-read-transposed
// says: each 8×8 tile of A is used transposed
// says: summed in line 15
#define T 8
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const long row = (long)blockIdx.x * T + y, col = (long)blockIdx.y * T + x;
  float sum = 0;
  for (long k0 = 0; k0 < N; k0 += T) {
    a[y][x] = row < M && k0 + x < N ? A[row * N + k0 + x] : 0;
    b[y][x] = col < K && k0 + y < N ? B[(k0 + y) * K + col] : 0;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += a[k][y] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((M + T - 1) / T, (K + T - 1) / T), dim3(T, T)>>>(A, B, C, M, N, K);
}
