// Has a handler for SIGFPE and SIGUSR1, and sends itself one.

#include <csignal>
static volatile std::sig_atomic_t seen;
static void note(int) {
  seen = 1;
}
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::signal(SIGFPE, note);
  std::signal(SIGUSR1, note);
  std::raise(SIGUSR1);
  multiply(A, B, C, M, N, K);
}
