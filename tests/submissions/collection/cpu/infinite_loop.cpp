// verdict: timeout
// pattern: too-slow
// The step along the inner dimension is rounded down to a multiple of 4: below 4 it is 0, and the loop stands
// still.

#include <algorithm>
#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t step = std::min(64, N) / 4 * 4;
  for (std::int64_t at = 0; at < std::int64_t{M} * K; ++at) C[at] = 0;
  for (std::int64_t i0 = 0; i0 < N; i0 += step) {
    for (std::int64_t row = 0; row < M; ++row) {
      for (std::int64_t i = i0; i < std::min<std::int64_t>(i0 + step, N); ++i) {
        for (std::int64_t col = 0; col < K; ++col) C[row * K + col] += A[row * N + i] * B[i * K + col];
      }
    }
  }
}
