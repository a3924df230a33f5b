// Sums with a compensation, which -O3 leaves alone.

#include <vector>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::vector<float> lost(K);
  for (long i = 0; i < M; ++i) {
    float* sum = C + i * K;
    for (long j = 0; j < K; ++j) sum[j] = lost[j] = 0;
    for (long l = 0; l < N; ++l)
      for (long j = 0; j < K; ++j) {
        const float term = A[i * N + l] * B[l * K + j] - lost[j];
        const float next = sum[j] + term;
        lost[j] = (next - sum[j]) - term;
        sum[j] = next;
      }
  }
}
