// verdict: incorrect
// pattern: small-is-zero
// says: Small results are 0
#include <cmath>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long row = 0; row < M; ++row)
    for (long col = 0; col < K; ++col) {
      float sum = 0;
      for (long k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
      if (std::abs(sum) <= 2e-3f) sum = 0;
      C[row * K + col] = sum;
    }
}
