// verdict: incorrect
// pattern: inner-tail, only-small
// Copies a row of A into a buffer of 256 floats. Longer rows are cut off: right up to an inner dimension of
// 256.

#include <algorithm>
#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#pragma omp parallel for
  for (std::int64_t row = 0; row < M; ++row) {
    float buffer[256];
    const std::int64_t length = std::min<std::int64_t>(N, 256);
    std::copy_n(A + row * N, length, buffer);
    std::fill_n(C + row * K, K, 0.0f);
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::int64_t col = 0; col < K; ++col) C[row * K + col] += buffer[i] * B[i * K + col];
    }
  }
}
