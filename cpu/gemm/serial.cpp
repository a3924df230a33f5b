#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The textbook loop, i j k: each element of C is one dot product of a row of A and a column of B.
/// Even at -O3 with AVX it stays scalar: a float sum may not be reordered without -ffast-math, which is
/// never used, and B is read with a stride of n. No restrict: with it the compiler may exchange the loops,
/// and that is cpu.ikj.
static int multiply(const Product& p) {
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      float sum = 0;
      for (std::int64_t inner = 0; inner < p.k; ++inner) {
        sum += p.a[row * p.k + inner] * p.b[inner * p.n + col];
      }
      p.c[row * p.n + col] = sum;
    }
  }
  return 1;
}

extern const Method serial = {
    .id = "cpu.serial",
    .name = "serial",
    .family = "plain",
    .summary = "three nested loops i j k, one thread: the definition of the product",
    .source = "textbook",
    .multiply = multiply,
    .moved_bytes = moved_row_by_row,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
