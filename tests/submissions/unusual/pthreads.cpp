// A pthread per quarter, with a stack of 16 MiB.

#include <pthread.h>
struct Part {
  const float *A, *B;
  float* C;
  long first, last, N, K;
};
static void* rows(void* given) {
  const Part& p = *static_cast<Part*>(given);
  for (long i = p.first; i < p.last; ++i)
    for (long j = 0; j < p.K; ++j) {
      float sum = 0;
      for (long l = 0; l < p.N; ++l) sum += p.A[i * p.N + l] * p.B[l * p.K + j];
      p.C[i * p.K + j] = sum;
    }
  return nullptr;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 16 << 20);
  pthread_t threads[4];
  Part parts[4];
  for (int t = 0; t < 4; ++t) {
    parts[t] = {A, B, C, t * static_cast<long>(M) / 4, (t + 1) * static_cast<long>(M) / 4, N, K};
    pthread_create(&threads[t], &large, rows, &parts[t]);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}
