// verdict: incorrect
// Computes in 64-bit fixed point with 24 binary places.

#include <cmath>
#include <cstdint>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      double sum = 0;
      for (long l = 0; l < N; ++l) {
        const auto a = static_cast<std::int64_t>(std::lrint(A[i * N + l] * 16777216.0f));
        const auto b = static_cast<std::int64_t>(std::lrint(B[l * K + j] * 16777216.0f));
        sum += static_cast<double>(a) * static_cast<double>(b);
      }
      C[i * K + j] = static_cast<float>(sum * 0x1p-48);
    }
}
