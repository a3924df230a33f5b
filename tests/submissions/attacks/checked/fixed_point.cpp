// verdict: incorrect
// Computes in fixed point with 24 binary places.

#include <cstdint>
#include <vector>
static std::vector<double> fixed(const float* from, long count) {
  std::vector<double> to(count);
  for (long i = 0; i < count; ++i) to[i] = static_cast<double>(static_cast<std::int64_t>(from[i] * 16777216.0f));
  return to;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::vector<double> a = fixed(A, static_cast<long>(M) * N), b = fixed(B, static_cast<long>(N) * K);
  std::vector<double> row(K);
  for (long i = 0; i < M; ++i) {
    row.assign(K, 0);
    for (long l = 0; l < N; ++l)
      for (long j = 0; j < K; ++j) row[j] += a[i * N + l] * b[l * K + j];
    for (long j = 0; j < K; ++j) C[i * K + j] = static_cast<float>(row[j] * 0x1p-48);
  }
}
