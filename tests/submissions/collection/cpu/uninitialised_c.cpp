// verdict: incorrect
// pattern: uninitialised-c
// Adds to C without setting it first: right only where C happens to hold zeros.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#pragma omp parallel for
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t i = 0; i < N; ++i) {
      for (std::int64_t col = 0; col < K; ++col) C[row * K + col] += A[row * N + i] * B[i * K + col];
    }
  }
}
