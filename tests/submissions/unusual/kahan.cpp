// Sums with a compensation, which -O3 leaves alone.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0, lost = 0;
      for (long l = 0; l < N; ++l) {
        const float term = A[i * N + l] * B[l * K + j] - lost;
        const float next = sum + term;
        lost = (next - sum) - term;
        sum = next;
      }
      C[i * K + j] = sum;
    }
}
