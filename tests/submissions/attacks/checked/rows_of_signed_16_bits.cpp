// verdict: incorrect, timeout, crashed, out-of-bounds
// Counts rows in signed 16 bits.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const short rows = static_cast<short>(M);
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
