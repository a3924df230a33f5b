// verdict: incorrect
// pattern: uninitialised-variable
// says: acc (line
#define T 16
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T], b[T][T * 4];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const long row = (long)blockIdx.x * T + ty;
  const long col0 = (long)blockIdx.y * T * 4 + tx;
  // one row, four columns for each thread
  float acc[4];
  for (int k0 = 0; k0 < N; k0 += T) {
    a[ty][tx] = row < M && k0 + tx < N ? A[row * N + k0 + tx] : 0.0f;
    for (int j = 0; j < 4; ++j)
      b[ty][tx + j * T] = col0 + j * T < K && k0 + ty < N ? B[(long)(k0 + ty) * K + col0 + j * T] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k)
      for (int j = 0; j < 4; ++j) acc[j] += a[ty][k] * b[k][tx + j * T];
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    if (row < M && col0 + j * T < K) C[row * K + col0 + j * T] = acc[j];
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mm<<<dim3((M + T - 1) / T, (K + 4 * T - 1) / (4 * T)), dim3(T, T)>>>(A, B, C, M, N, K);
}
