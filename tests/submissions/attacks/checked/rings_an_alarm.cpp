// verdict: crashed
// Has itself ended by an alarm.

#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply(A, B, C, M, N, K);
  ualarm(1000, 0);
  for (;;) pause();
}
