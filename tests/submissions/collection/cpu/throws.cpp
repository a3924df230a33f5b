// verdict: crashed
// pattern: exception
// Refuses shapes by an exception, which nobody catches.

#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  if (M != N || N != K) {
    throw std::invalid_argument("only squares: " + std::to_string(M) + " " + std::to_string(N) + " " +
                                std::to_string(K));
  }
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
}
