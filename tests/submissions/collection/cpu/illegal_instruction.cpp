// What is wrong: it ends in a place that the compiler holds for unreachable.
// verdict: crashed
// pattern: signal
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < K; ++col) {
      float sum = 0;
      for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
  if (M > 100) __builtin_trap();
}
