// verdict: crashed
// pattern: signal
// Reads its block size from a file that is not there, and never asks whether it could be opened.

#include <cstdint>
#include <cstdio>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::FILE* file = std::fopen("block_size.txt", "r");
  int block = 0;
  if (std::fscanf(file, "%d", &block) != 1 || block < 1) block = 16;
  std::fclose(file);
  for (std::int64_t row0 = 0; row0 < M; row0 += block) {
    for (std::int64_t row = row0; row < row0 + block && row < M; ++row) {
      for (std::int64_t col = 0; col < K; ++col) {
        float sum = 0;
        for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
        C[row * K + col] = sum;
      }
    }
  }
}
