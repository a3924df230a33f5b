// verdict: out-of-bounds
// pattern: write-before-start
// Counts rows downwards and takes row numbers to begin with 1 in one of two places.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t row = M; row >= 0; --row) {
    for (std::int64_t col = 0; col < K; ++col) C[(row - 1) * K + col] = 0;
  }
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t i = 0; i < N; ++i) {
      for (std::int64_t col = 0; col < K; ++col) C[row * K + col] += A[row * N + i] * B[i * K + col];
    }
  }
}
