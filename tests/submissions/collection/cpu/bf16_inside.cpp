// verdict: reduced-precision
// pattern: reduced-precision
// Rounds A and B to bfloat16 before multiplying: exact for small integers, 8 bits for all else.

#include <cstdint>
#include <cstring>
#include <vector>

static float rounded(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0x7fff + (bits >> 16 & 1);  // to nearest, ties to even
  bits &= 0xffff0000u;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::vector<float> a(static_cast<std::size_t>(M) * N), b(static_cast<std::size_t>(N) * K);
  for (std::size_t at = 0; at < a.size(); ++at) a[at] = rounded(A[at]);
  for (std::size_t at = 0; at < b.size(); ++at) b[at] = rounded(B[at]);
#pragma omp parallel for
  for (std::int64_t row = 0; row < M; ++row) {
    float* c = C + row * K;
    for (std::int64_t col = 0; col < K; ++col) c[col] = 0;
    for (std::int64_t i = 0; i < N; ++i) {
      for (std::int64_t col = 0; col < K; ++col) c[col] += a[row * N + i] * b[i * K + col];
    }
  }
}
