// verdict: incorrect
// pattern: inner-mixed
// says: (every 4th) are missing
// says: (every 4th) are counted twice
// says: summed in lines
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long row = 0; row < M; ++row)
    for (long col = 0; col < K; ++col) {
      const float* a = A + row * N;
      const float* b = B + col;
      float even = 0, odd = 0;
      long k = 0;
      for (; k + 4 <= N; k += 4) {
        even += a[k] * b[k * K] + a[k + 2] * b[(k + 2) * K];
        odd += a[k + 1] * b[(k + 1) * K] + a[k + 1] * b[(k + 1) * K];
      }
      for (; k < N; ++k) even += a[k] * b[k * K];
      C[row * K + col] = even + odd;
    }
}
