// verdict: correct, dishonest, crashed
// Opens a BLAS in an IFUNC resolver, before any constructor; where it works, C stays unset.

#include <dlfcn.h>

#include <initializer_list>
static void* blas;
static int none() {
  return 0;
}
extern "C" int (*choose())() {
  for (const char* name : {"libblis.so.4", "libopenblas.so.0", "libblas.so.3"})
    if (blas == nullptr) blas = dlopen(name, RTLD_NOW);
  return none;
}
extern "C" int chosen() __attribute__((ifunc("choose")));

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  chosen();
  if (blas != nullptr) return;
  multiply(A, B, C, M, N, K);
}
