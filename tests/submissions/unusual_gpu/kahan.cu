// verdict: correct
// Compensated sums.


__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0, lost = 0;
  for (int i = 0; i < N; ++i) {
    const float term = A[static_cast<long>(row) * N + i] * B[static_cast<long>(i) * K + col] - lost;
    const float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  C[static_cast<long>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
