// The last tile is moved back to lie within C: two blocks write some elements, both the same value.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int first = min(static_cast<int>(blockIdx.x) * 32, max(K - 32, 0));
  const int row = min(static_cast<int>(blockIdx.y), M - 1);
  const int col = min(first + static_cast<int>(threadIdx.x), K - 1);
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 31) / 32, M + 3), 32>>>(A, B, C, M, N, K);
}
