// Halves the inner dimension until it is short.

static float sum_of(const float* a, const float* b, long count, long stride) {
  if (count > 8)
    return sum_of(a, b, count / 2, stride) +
           sum_of(a + count / 2, b + count / 2 * stride, count - count / 2, stride);
  float sum = 0;
  for (long l = 0; l < count; ++l) sum += a[l] * b[l * stride];
  return sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) C[i * K + j] = sum_of(A + i * N, B + j, N, K);
}
