// verdict: incorrect
// pattern: inner-twice
// says: the inner indices 64 to
// says: are counted twice
// Panels of 80 terms that begin every 64.
#include <algorithm>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::fill_n(C, (long)M * K, 0.0f);
  for (long k0 = 0; k0 < std::min(N, 128); k0 += 64)
    for (long row = 0; row < M; ++row)
      for (long k = k0; k < std::min<long>(N, k0 + 80); ++k)
        for (long col = 0; col < K; ++col) C[row * K + col] += A[row * N + k] * B[k * K + col];
  for (long row = 0; row < M; ++row)
    for (long k = 144; k < N; ++k)
      for (long col = 0; col < K; ++col) C[row * K + col] += A[row * N + k] * B[k * K + col];
}
