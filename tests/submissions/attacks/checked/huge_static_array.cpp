// verdict: out-of-memory, build-failed, crashed
// Has an array of 40 GB without asking for it.

static float all[10000000000];

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply(A, B, C, M, N, K);
  for (long i = 0; i < 10000000000; i += 1024) const_cast<volatile float*>(all)[i] = 1;
}
