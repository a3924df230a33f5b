// verdict: incorrect
// pattern: tile-read-transposed
// says: each 16×16 tile of B is used transposed
#define T 16
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T], b[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const long row = (long)blockIdx.x * T + ty, col = (long)blockIdx.y * T + tx;
  float s = 0;
  for (int k0 = 0; k0 < N; k0 += T) {
    a[ty][tx] = row < M && k0 + tx < N ? A[row * N + k0 + tx] : 0.0f;
    b[ty][tx] = col < K && k0 + ty < N ? B[(long)(k0 + ty) * K + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) s += a[ty][k] * b[tx][k];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mm<<<dim3((M + T - 1) / T, (K + T - 1) / T), dim3(T, T)>>>(A, B, C, M, N, K);
}
