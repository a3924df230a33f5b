// rule: type = "int8"
// verdict: correct

#include <cstdint>

extern "C" void solve(const std::int8_t* A, const std::int8_t* B, std::int32_t* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < K; ++col) {
      int sum = 0;
      for (int i = 0; i < N; ++i) sum += A[(long long)row * N + i] * B[(long long)i * K + col];
      C[(long long)row * K + col] = sum;
    }
  }
}
