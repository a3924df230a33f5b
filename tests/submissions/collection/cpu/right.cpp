// verdict: correct
// pattern:
// Nothing is wrong with it: the loops in the order row, inner, column.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#pragma omp parallel for
  for (std::int64_t row = 0; row < M; ++row) {
    float* c = C + row * K;
    for (std::int64_t col = 0; col < K; ++col) c[col] = 0;
    for (std::int64_t i = 0; i < N; ++i) {
      const float a = A[row * N + i];
      for (std::int64_t col = 0; col < K; ++col) c[col] += a * B[i * K + col];
    }
  }
}
