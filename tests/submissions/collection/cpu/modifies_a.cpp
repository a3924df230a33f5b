// verdict: incorrect
// pattern: inputs-modified
// Halves A where it lies, and doubles the sums at the end: C is right, but A is not ours to change.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* a = const_cast<float*>(A);
  for (std::int64_t at = 0; at < std::int64_t{M} * N; ++at) a[at] *= 0.5f;
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += a[row * N + i] * B[i * K + col];
      C[row * K + col] = 2 * sum;
    }
  }
}
