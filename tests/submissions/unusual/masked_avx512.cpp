// Masked vectors where the processor has them.

#include <immintrin.h>
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
__attribute__((target("avx512f"))) static void wide(const float* A, const float* B, float* C, int M, int N,
                                                    int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; j += 16) {
      const __mmask16 mask = K - j >= 16 ? 0xffff : static_cast<__mmask16>((1u << (K - j)) - 1);
      __m512 sum = _mm512_setzero_ps();
      for (long l = 0; l < N; ++l)
        sum = _mm512_fmadd_ps(_mm512_set1_ps(A[i * N + l]), _mm512_maskz_loadu_ps(mask, B + l * K + j), sum);
      _mm512_mask_storeu_ps(C + i * K + j, mask, sum);
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  __builtin_cpu_supports("avx512f") ? wide(A, B, C, M, N, K) : multiply(A, B, C, M, N, K);
}
