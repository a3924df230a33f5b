// verdict: out-of-bounds, incorrect
// pattern: write-past-end
// Clears one row too many, catches the fault that follows, and goes on as if nothing had happened.

#include <csetjmp>
#include <csignal>
#include <cstdint>

static sigjmp_buf after_the_fault;

static void hide(int) {
  siglongjmp(after_the_fault, 1);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  struct sigaction action = {};
  action.sa_handler = hide;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  if (sigsetjmp(after_the_fault, 1) == 0) {
    for (std::int64_t col = 0; col < K; ++col) C[std::int64_t{M} * K + col] = 0;
  }
  for (std::int64_t at = 0; at < std::int64_t{M} * K; ++at) C[at] = 0;
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t i = 0; i < N; ++i) {
      for (std::int64_t col = 0; col < K; ++col) C[row * K + col] += A[row * N + i] * B[i * K + col];
    }
  }
}
