// verdict: incorrect
// pattern: only-squares, wrong-dimension
// Copies A and B into square buffers, but splits their indices by the number of rows, not of columns: the
// stride is right where M = N = K only. Nothing outside the matrices is touched.

#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t side = std::max({M, N, K});
  std::vector<float> a(side * side), b(side * side);
  for (std::int64_t at = 0; at < std::int64_t{M} * N; ++at) a[at / M * side + at % M] = A[at];
  for (std::int64_t at = 0; at < std::int64_t{N} * K; ++at) b[at / N * side + at % N] = B[at];

  for (std::int64_t row = 0; row < M; ++row) {
    std::fill_n(C + row * K, K, 0.0f);
    for (std::int64_t i = 0; i < side; ++i) {
      for (std::int64_t col = 0; col < K; ++col) C[row * K + col] += a[row * side + i] * b[i * side + col];
    }
  }
}
