// verdict: out-of-memory
// pattern: allocation-failed
// Keeps all products of each call for later and never lets go of any: memory grows step by step.

#include <cstdint>
#include <vector>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static std::vector<float> products;
  for (;;) {
    for (std::int64_t row = 0; row < M; ++row) {
      for (std::int64_t col = 0; col < K; ++col) {
        float sum = 0;
        for (std::int64_t i = 0; i < N; ++i) {
          products.push_back(A[row * N + i] * B[i * K + col]);
          sum += products.back();
        }
        C[row * K + col] = sum;
      }
    }
    if (products.empty()) break;  // meant: until there is nothing left to do
  }
}
