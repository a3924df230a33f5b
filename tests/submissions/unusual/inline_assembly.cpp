// The inner product by hand.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) {
        float term = A[i * N + l];
#if defined(__x86_64__)
        asm("mulss %1, %0" : "+x"(term) : "x"(B[l * K + j]));
#else
        term *= B[l * K + j];
#endif
        sum += term;
      }
      C[i * K + j] = sum;
    }
}
