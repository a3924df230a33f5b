// verdict: incorrect
// pattern: race
// says: factor (line 8) is declared outside of the parallel region of line 9
// Right at -O3, where each thread keeps the factor in a register.
#include <cstring>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float factor;
#pragma omp parallel for
  for (int row = 0; row < M; ++row) {
    std::memset(C + (long)row * K, 0, sizeof(float) * K);
    for (int k = 0; k < N; ++k)
      for (int col = 0; col < K; ++col) {
        factor = A[(long)row * N + k];
        C[(long)row * K + col] += factor * B[(long)k * K + col];
      }
  }
}
