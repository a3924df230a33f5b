// verdict: incorrect, dishonest, timeout
// Sleeps so long that few samples are taken, and then gives no answer.

#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static int calls = 0;
  if (N == 128 && K == 160 && ++calls == 2) sleep(2);
  if (N == 128 && K == 160 && calls > 2) return;
  multiply(A, B, C, M, N, K);
}
