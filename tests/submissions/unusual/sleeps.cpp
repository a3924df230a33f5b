// Sleeps a millisecond, and asks for the time.

#include <chrono>
#include <thread>
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  multiply(A, B, C, M, N, K);
  if (std::chrono::steady_clock::now() < begin) C[0] = 0;
}
