// verdict: out-of-memory
// pattern: allocation-failed
// As huge_allocation.cpp, by malloc, whose null pointer is followed.

#include <cstdint>
#include <cstdlib>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* transposed = static_cast<float*>(std::malloc(std::size_t{1} << 44));
  for (std::int64_t i = 0; i < N; ++i) {
    for (std::int64_t col = 0; col < K; ++col) transposed[col * N + i] = B[i * K + col];
  }
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * transposed[col * N + i];
      C[row * K + col] = sum;
    }
  }
  std::free(transposed);
}
