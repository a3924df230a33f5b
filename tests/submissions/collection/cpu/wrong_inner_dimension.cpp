// verdict: incorrect, out-of-bounds
// pattern: wrong-dimension, read-past-end
// Takes K for the inner dimension, as in BLAS, though it is N here: right wherever N = K. Where K is larger,
// B is read beyond its end, so that either finding is right.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < K; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
}
