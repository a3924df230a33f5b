// Prints and logs, and tries to write a log beside itself.

#include <cstdio>
#include <fstream>
#include <iostream>
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::cout << M << 'x' << N << 'x' << K << std::endl;
  std::ofstream("log.txt") << M << std::endl;
  std::perror("done");
  multiply(A, B, C, M, N, K);
}
