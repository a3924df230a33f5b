// Splits the longest side in two.

static void part(const float* A, const float* B, float* C, long m, long n, long k, long lda, long ldb) {
  if (m <= 16 && n <= 16 && k <= 16) {
    for (long i = 0; i < m; ++i)
      for (long l = 0; l < n; ++l)
        for (long j = 0; j < k; ++j) C[i * ldb + j] += A[i * lda + l] * B[l * ldb + j];
    return;
  }
  if (m >= n && m >= k) {
    part(A, B, C, m / 2, n, k, lda, ldb);
    return part(A + m / 2 * lda, B, C + m / 2 * ldb, m - m / 2, n, k, lda, ldb);
  }
  if (n >= k) {
    part(A, B, C, m, n / 2, k, lda, ldb);
    return part(A + n / 2, B + n / 2 * ldb, C, m, n - n / 2, k, lda, ldb);
  }
  part(A, B, C, m, n, k / 2, lda, ldb);
  part(A, B + k / 2, C + k / 2, m, n, k - k / 2, lda, ldb);
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < static_cast<long>(M) * K; ++i) C[i] = 0;
  part(A, B, C, M, N, K, N, K);
}
