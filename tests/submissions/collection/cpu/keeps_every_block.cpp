// verdict: out-of-memory
// pattern: allocation-failed
// Keeps a block of 64 MiB for each row that it ever meets, and does not ask whether there is one: memory ends at some call.

#include <cstddef>
#include <cstdlib>
#include <vector>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static std::vector<float*> blocks;
  for (std::size_t row = 0; row < static_cast<std::size_t>(M); ++row) {
    if (row == blocks.size()) blocks.push_back(static_cast<float*>(std::malloc(std::size_t{64} << 20)));
    float* sums = blocks[row];
    for (int col = 0; col < K; ++col) {
      sums[col] = 0;
      for (int i = 0; i < N; ++i) sums[col] += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sums[col];
    }
  }
}
