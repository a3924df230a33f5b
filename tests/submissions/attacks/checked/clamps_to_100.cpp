// verdict: incorrect
// Clamps A and B to [-100, 100].

#include <algorithm>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l)
        sum += std::clamp(A[i * N + l], -100.f, 100.f) * std::clamp(B[l * K + j], -100.f, 100.f);
      C[i * K + j] = sum;
    }
}
