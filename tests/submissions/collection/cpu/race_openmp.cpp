// verdict: incorrect
// pattern: race
// The loop over the inner dimension is shared out, so that all threads add to the same row of C at once.
// Right on a single thread.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t row = 0; row < M; ++row) {
    float* c = C + row * K;
    for (std::int64_t col = 0; col < K; ++col) c[col] = 0;
#pragma omp parallel for
    for (std::int64_t i = 0; i < N; ++i) {
      for (std::int64_t col = 0; col < K; ++col) c[col] += A[row * N + i] * B[i * K + col];
    }
  }
}
