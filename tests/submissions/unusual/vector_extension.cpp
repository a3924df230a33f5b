// Vectors of the compiler, unaligned, with a tail.

#include <cstring>
typedef float Eight __attribute__((vector_size(32)));
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i) {
    long j = 0;
    for (; j + 8 <= K; j += 8) {
      Eight sum = {};
      for (long l = 0; l < N; ++l) {
        Eight b;
        std::memcpy(&b, B + l * K + j, sizeof b);
        sum += A[i * N + l] * b;
      }
      std::memcpy(C + i * K + j, &sum, sizeof sum);
    }
    for (; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
  }
}
