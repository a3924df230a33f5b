// verdict: incorrect
// pattern: nan
// Takes sums apart into sign and magnitude. The sign of a sum that is 0 comes out as 0/0.

#include <cmath>
#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#pragma omp parallel for
  for (std::int64_t row = 0; row < M; ++row) {
    float* c = C + row * K;
    for (std::int64_t col = 0; col < K; ++col) c[col] = 0;
    for (std::int64_t i = 0; i < N; ++i) {
      for (std::int64_t col = 0; col < K; ++col) c[col] += A[row * N + i] * B[i * K + col];
    }
    for (std::int64_t col = 0; col < K; ++col) {
      const float magnitude = std::fabs(c[col]);
      const float sign = c[col] / magnitude;
      c[col] = sign * magnitude;
    }
  }
}
