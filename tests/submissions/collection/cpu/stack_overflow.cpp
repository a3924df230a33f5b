// verdict: crashed
// pattern: signal
// A copy of B in a local array of 64 MiB, more than a stack has.

#include <algorithm>
#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float copy[4096 * 4096];
  std::copy_n(B, std::min<std::int64_t>(std::int64_t{N} * K, 4096 * 4096), copy);
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * copy[i * K + col];
      C[row * K + col] = sum;
    }
  }
}
