// rule: type = "bfloat16"
// verdict: correct

#include <cstdint>

// A bfloat16 is the upper half of a float.
static float value(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float number;
  __builtin_memcpy(&number, &wide, sizeof number);
  return number;
}

static std::uint16_t rounded(float number) {
  std::uint32_t wide;
  __builtin_memcpy(&wide, &number, sizeof wide);
  return std::uint16_t((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

extern "C" void solve(const std::uint16_t* A, const std::uint16_t* B, std::uint16_t* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < K; ++col) {
      float sum = 0;
      for (int i = 0; i < N; ++i) sum += value(A[(long long)row * N + i]) * value(B[(long long)i * K + col]);
      C[(long long)row * K + col] = rounded(sum);
    }
  }
}
