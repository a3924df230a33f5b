// verdict: correct
// Sums in double.


__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += static_cast<double>(A[static_cast<long>(row) * N + i]) * B[static_cast<long>(i) * K + col];
  C[static_cast<long>(row) * K + col] = static_cast<float>(sum);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
