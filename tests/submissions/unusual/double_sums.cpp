// Sums in double.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      double sum = 0;
      for (long l = 0; l < N; ++l) sum += static_cast<double>(A[i * N + l]) * B[l * K + j];
      C[i * K + j] = static_cast<float>(sum);
    }
}
