// Takes 6 MiB of the stack.

#include <alloca.h>

#include <cstring>
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  auto* room = static_cast<volatile char*>(alloca(6 << 20));
  for (int at = 0; at < 6 << 20; at += 4096) room[at] = 1;
  multiply(A, B, C, M, N, K);
}
