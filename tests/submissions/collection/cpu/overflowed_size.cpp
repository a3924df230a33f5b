// What is wrong: the size of a buffer is a product of int that is negative, and so 2⁶⁴ less as a number without sign.
// verdict: out-of-memory
// pattern: allocation-failed
#include <cstddef>
#include <new>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const int bytes = (M - 2 * M) * K * 4;
  float* copy = static_cast<float*>(::operator new(static_cast<std::size_t>(bytes)));
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < K; ++col) {
      copy[row * K + col] = 0;
      for (int i = 0; i < N; ++i) copy[row * K + col] += A[row * N + i] * B[i * K + col];
      C[row * K + col] = copy[row * K + col];
    }
  }
  ::operator delete(copy);
}
