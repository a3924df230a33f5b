// rule: type = "float16"
// verdict: correct

#include <cstdint>

extern "C" void solve(const _Float16* A, const _Float16* B, _Float16* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < K; ++col) {
      float sum = 0;
      for (int i = 0; i < N; ++i) sum += float(A[(long long)row * N + i]) * float(B[(long long)i * K + col]);
      C[(long long)row * K + col] = _Float16(sum);
    }
  }
}
