// verdict: incorrect
// Does not write elements of C whose sum is 0.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      if (sum != 0) C[i * K + j] = sum;
    }
}
