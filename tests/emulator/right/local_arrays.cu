// Small arrays in registers, indexed by the thread at run time, and passed to a function that is not inlined.

__device__ __noinline__ void add(float* sums, const float* row, float a, int count) {
  for (int i = 0; i < count; ++i) sums[i] += a * row[i];
}

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 5;
  if (row >= M || col >= K) return;
  float sums[5] = {};
  const int count = min(5, K - col);
  for (int k = 0; k < N; ++k) add(sums, &B[k * K + col], A[row * N + k], count);
  for (int i = 0; i < count; ++i) C[row * K + col + i] = sums[(i + row) % 5 == 7 ? 0 : i];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 79) / 80, (M + 3) / 4), dim3(16, 4)>>>(A, B, C, M, N, K);
}
