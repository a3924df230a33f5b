// verdict: out-of-bounds, incorrect
// pattern: only-squares, wrong-dimension
// M, N and K as BLAS means them: C has N columns, and K is the inner dimension. A is read beyond its end at
// the first shape that is no square; what is to blame is no missing guard.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < N; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < K; ++i) sum += A[row * K + i] * B[i * N + col];
      C[row * N + col] = sum;
    }
  }
}
