// verdict: out-of-bounds
// pattern: illegal-address
// says: An index overflows where a matrix has more than 2³¹ elements: At line 9
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y;
  if (row >= M) return;
  float sum = 0;
  const float* b = B + col;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * b[(long)k * K];
  C[(long)row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int col = 0; col < K; col += 65535)
    multiply<<<dim3((M + 63) / 64, min(K - col, 65535)), 64>>>(A, B + col, C + col, M, N, K);
}
