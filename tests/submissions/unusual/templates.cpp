// Tiles as template parameters, with concepts.

#include <algorithm>
#include <concepts>
template <int Side, std::floating_point T>
static void tiled(const T* A, const T* B, T* C, long M, long N, long K) {
  std::fill(C, C + M * K, T{0});
  for (long i0 = 0; i0 < M; i0 += Side)
    for (long l0 = 0; l0 < N; l0 += Side)
      for (long i = i0; i < std::min(M, i0 + Side); ++i)
        for (long l = l0; l < std::min(N, l0 + Side); ++l)
          for (long j = 0; j < K; ++j) C[i * K + j] += A[i * N + l] * B[l * K + j];
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  tiled<24>(A, B, C, M, N, K);
}
