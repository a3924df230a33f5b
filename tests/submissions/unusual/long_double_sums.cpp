// Sums in long double, backwards.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = M - 1; i >= 0; --i)
    for (long j = K - 1; j >= 0; --j) {
      long double sum = 0;
      for (long l = N - 1; l >= 0; --l) sum += static_cast<long double>(A[i * N + l]) * B[l * K + j];
      C[i * K + j] = static_cast<float>(sum);
    }
}
