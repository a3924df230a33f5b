// verdict: incorrect
// pattern: columns-moved
// says: column 1 of C holds column 2 of A·B
// Even columns first, then odd ones, stored side by side.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long row = 0; row < M; ++row) {
    long to = row * K;
    for (long first = 0; first < 2; ++first)
      for (long col = first; col < K; col += 2) {
        float sum = 0;
        for (long k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
        C[to++] = sum;
      }
  }
}
