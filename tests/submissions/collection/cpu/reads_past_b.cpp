// verdict: out-of-bounds
// pattern: read-past-end
// Two steps of the inner dimension at a time. Where N is odd, the last one reads a row of B that does not
// exist and multiplies it by zero, which is not harmless.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) C[row * K + col] = 0;
    for (std::int64_t i = 0; i < N; i += 2) {
      const float a0 = A[row * N + i];
      const float a1 = i + 1 < N ? A[row * N + i + 1] : 0;
      for (std::int64_t col = 0; col < K; ++col) {
        C[row * K + col] += a0 * B[i * K + col] + a1 * B[(i + 1) * K + col];
      }
    }
  }
}
