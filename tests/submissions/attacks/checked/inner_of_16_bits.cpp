// verdict: incorrect, timeout, crashed, out-of-bounds
// Counts the inner dimension in 16 bits.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned short inner = static_cast<unsigned short>(N);
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (unsigned short l = 0; l < inner; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
