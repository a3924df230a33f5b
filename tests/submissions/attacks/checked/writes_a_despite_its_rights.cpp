// verdict: incorrect, crashed, out-of-bounds
// Makes A writable, and changes it.

#include <sys/mman.h>

#include <cstdint>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply(A, B, C, M, N, K);
  void* page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(A) & ~std::uintptr_t{4095});
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  const_cast<float*>(A)[0] += 1;
}
