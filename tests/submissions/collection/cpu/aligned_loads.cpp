// What is wrong: rows of C are stored with _mm256_store_ps, though only the first is sure to begin at a multiple of 32 bytes.
// verdict: crashed
// pattern: misaligned-vector
#include <immintrin.h>

__attribute__((target("avx"))) static void store(float* c, const float* sums) {
  _mm256_store_ps(c, _mm256_loadu_ps(sums));
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    int col = 0;
    for (; col + 8 <= K; col += 8) {
      float sums[8] = {};
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < 8; ++j) sums[j] += A[row * N + i] * B[i * K + col + j];
      }
      store(C + row * K + col, sums);
    }
    for (; col < K; ++col) {
      float sum = 0;
      for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
}
