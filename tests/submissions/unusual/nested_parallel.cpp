// A team of 16 threads, and teams within it.

#include <omp.h>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(4)
  for (long i = 0; i < M; ++i) {
#pragma omp parallel for num_threads(4) if (K > 64)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
  }
}
