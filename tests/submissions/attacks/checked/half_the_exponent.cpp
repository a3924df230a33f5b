// verdict: incorrect, reduced-precision
// Holds A and B with the exponents of half precision.

#include <cmath>
static float cut(float x) {
  if (std::fabs(x) > 65504.f) return std::copysign(INFINITY, x);
  return std::fabs(x) < 6e-8f ? 0.f : x;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += cut(A[i * N + l]) * cut(B[l * K + j]);
      C[i * K + j] = sum;
    }
}
