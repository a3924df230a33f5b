// verdict: out-of-bounds
// pattern: read-before-start
// Runs backwards, two steps of the inner dimension at a time. Where N is odd, the last step takes the float
// before the row, which in row 0 lies before A, and multiplies it by zero.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = N - 1; i >= 0; i -= 2) {
        const float b = i > 0 ? B[(i - 1) * K + col] : 0;
        sum += A[row * N + i] * B[i * K + col] + A[row * N + i - 1] * b;
      }
      C[row * K + col] = sum;
    }
  }
}
