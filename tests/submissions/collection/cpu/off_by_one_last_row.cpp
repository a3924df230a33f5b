// verdict: incorrect
// pattern: last-row, partly-written
// Rows are shared out by hand, and what M leaves over after an equal share each is forgotten.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t halves = M > 1 ? 2 : 1;
  const std::int64_t share = M / halves;
#pragma omp parallel for
  for (std::int64_t half = 0; half < halves; ++half) {
    for (std::int64_t row = half * share; row < (half + 1) * share; ++row) {
      for (std::int64_t col = 0; col < K; ++col) {
        float sum = 0;
        for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
        C[row * K + col] = sum;
      }
    }
  }
}
