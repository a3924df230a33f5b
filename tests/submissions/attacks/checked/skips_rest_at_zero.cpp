// verdict: incorrect
// Ends a sum at the first zero.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) {
        if (A[i * N + l] == 0) break;
        sum += A[i * N + l] * B[l * K + j];
      }
      C[i * K + j] = sum;
    }
}
