// verdict: incorrect, crashed, out-of-bounds
// Keeps a row of C in a buffer of 65536 elements, and forgets the rest.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static float row[65536];
  for (long i = 0; i < M; ++i) {
    const long width = K < 65536 ? K : 65536;
    for (long j = 0; j < width; ++j) {
      row[j] = 0;
      for (long l = 0; l < N; ++l) row[j] += A[i * N + l] * B[l * K + j];
      C[i * K + j] = row[j];
    }
  }
}
