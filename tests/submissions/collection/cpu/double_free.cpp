// What is wrong: a buffer is given back twice.
// verdict: crashed
// pattern: double-free
#include <cstdlib>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* row_of_a = static_cast<float*>(std::malloc(sizeof(float) * static_cast<std::size_t>(N)));
  for (int row = 0; row < M; ++row) {
    for (int i = 0; i < N; ++i) row_of_a[i] = A[row * N + i];
    for (int col = 0; col < K; ++col) {
      float sum = 0;
      for (int i = 0; i < N; ++i) sum += row_of_a[i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
  float* volatile again = row_of_a;
  std::free(row_of_a);
  std::free(again);
}
