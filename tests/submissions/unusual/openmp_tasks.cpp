// A task per rows.

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < M; ++i) {
#pragma omp task firstprivate(i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
  }
}
