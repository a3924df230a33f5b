// verdict: crashed
// pattern: started-process
// Leaves half of the rows to a second process. It waits for it, but processes are forbidden all the same.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

static void multiply_rows(const float* A, const float* B, float* C, std::int64_t begin, std::int64_t end,
                          std::int64_t N, std::int64_t K) {
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const pid_t helper = fork();
  if (helper == 0) {
    multiply_rows(A, B, C, M / 2, M, N, K);
    _exit(0);
  }
  multiply_rows(A, B, C, 0, M / 2, N, K);
  if (helper > 0) {
    waitpid(helper, nullptr, 0);
  } else {
    multiply_rows(A, B, C, M / 2, M, N, K);
  }
}
