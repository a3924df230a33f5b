// verdict: incorrect
// pattern: inner-tail
// Eight steps of the inner dimension at a time; the N % 8 that are left are never taken.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#pragma omp parallel for
  for (std::int64_t row = 0; row < M; ++row) {
    float* c = C + row * K;
    for (std::int64_t col = 0; col < K; ++col) c[col] = 0;
    for (std::int64_t i0 = 0; i0 < N / 8 * 8; i0 += 8) {
      for (std::int64_t i = i0; i < i0 + 8; ++i) {
        const float a = A[row * N + i];
        for (std::int64_t col = 0; col < K; ++col) c[col] += a * B[i * K + col];
      }
    }
  }
}
