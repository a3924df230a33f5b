// verdict: timeout
// pattern: too-slow
// Fills a table before solve is called, and never comes to its end.

#include <cstdint>

namespace {

struct Table {
  volatile std::uint32_t steps = 0;

  Table() {
    // a 32-bit counter never reaches a bound of more than 32 bits
    for (std::uint64_t at = 0; at < std::uint64_t{1} << 40; at = static_cast<std::uint32_t>(at + 1))
      steps = steps + 1;
  }
};

const Table table;

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
}
