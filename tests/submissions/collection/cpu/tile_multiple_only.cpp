// verdict: incorrect
// pattern: only-multiples, edges
// Whole tiles of 16 in all three dimensions, and nothing for what is left over at the edges.

#include <cstdint>

constexpr int kTile = 16;

static void multiply_tile(const float* a, const float* b, float* c, std::int64_t N, std::int64_t K) {
  for (int row = 0; row < kTile; ++row) {
    for (int i = 0; i < kTile; ++i) {
      for (int col = 0; col < kTile; ++col) c[row * K + col] += a[row * N + i] * b[i * K + col];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t at = 0; at < std::int64_t{M} * K; ++at) C[at] = 0;
  for (std::int64_t row = 0; row < M / kTile; ++row) {
    for (std::int64_t i = 0; i < N / kTile; ++i) {
      for (std::int64_t col = 0; col < K / kTile; ++col) {
        multiply_tile(A + row * kTile * N + i * kTile, B + i * kTile * K + col * kTile,
                      C + row * kTile * K + col * kTile, N, K);
      }
    }
  }
}
