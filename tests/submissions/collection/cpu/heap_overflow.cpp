// What is wrong: a buffer has as many bytes as it should have elements.
// verdict: crashed
// pattern: heap-overflow, invalid-free
#include <cstdlib>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* column = static_cast<float*>(std::malloc(static_cast<std::size_t>(N)));
  for (int col = 0; col < K; ++col) {
    for (int i = 0; i < N; ++i) column[i] = B[i * K + col];
    for (int row = 0; row < M; ++row) {
      float sum = 0;
      for (int i = 0; i < N; ++i) sum += A[row * N + i] * column[i];
      C[row * K + col] = sum;
    }
  }
  std::free(column);
  std::free(std::malloc(4096));
}
