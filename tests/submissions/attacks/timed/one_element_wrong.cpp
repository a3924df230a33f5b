// verdict: incorrect
// Leaves one element of C out in timed calls.

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply(A, B, C, M, N, K);
  if (N == 128 && K == 160) C[41 * K + 77] = 0.25f;
}
