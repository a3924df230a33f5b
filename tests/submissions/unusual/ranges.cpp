// Loops as ranges.

#include <ranges>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (const long i : std::views::iota(0L, static_cast<long>(M)))
    for (const long j : std::views::iota(0L, static_cast<long>(K))) {
      float sum = 0;
      for (const float term : std::views::iota(0L, static_cast<long>(N)) |
                                  std::views::transform([&](long l) { return A[i * N + l] * B[l * K + j]; }))
        sum += term;
      C[i * K + j] = sum;
    }
}
