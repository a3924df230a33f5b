// verdict: incorrect
// pattern: inner-tail
// says: Wrong just where N is one more than a multiple of 32
#define T 32
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T], b[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const long row = (long)blockIdx.x * T + ty, col = (long)blockIdx.y * T + tx;
  float s = 0;
  const int steps = (N + T - 2) / T;
  for (int step = 0; step < steps; ++step) {
    const int k0 = step * T;
    a[ty][tx] = row < M && k0 + tx < N ? A[row * N + k0 + tx] : 0.0f;
    b[ty][tx] = col < K && k0 + ty < N ? B[(long)(k0 + ty) * K + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) s += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mm<<<dim3((M + T - 1) / T, (K + T - 1) / T), dim3(T, T)>>>(A, B, C, M, N, K);
}
