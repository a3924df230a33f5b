#include <omp.h>

#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Loops in the order i k j: a row of C gathers multiples of rows of B, all read along their rows, so that
/// the innermost loop is contiguous and the compiler vectorises it at -O3 without changing the order of any
/// sum. Each row of C passes over the whole of B: fast while B stays in the cache, bound by memory beyond.
static int multiply(const Product& p) {
  int threads = 0;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 0; row < p.m; ++row) {
      float* __restrict c_row = p.c + row * p.n;
      for (std::int64_t col = 0; col < p.n; ++col) c_row[col] = 0;
      for (std::int64_t inner = 0; inner < p.k; ++inner) {
        const float a_value = p.a[row * p.k + inner];
        const float* __restrict b_row = p.b + inner * p.n;
        for (std::int64_t col = 0; col < p.n; ++col) c_row[col] += a_value * b_row[col];
      }
    }
  }
  return threads;
}

extern const Method ikj = {
    .id = "cpu.ikj",
    .name = "ikj",
    .family = "plain",
    .summary =
        "loops in the order i k j, so that the innermost runs along rows and is vectorised; rows over "
        "threads",
    .source = "Golub and Van Loan, Matrix Computations, section 1.1 (gaxpy by rows)",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_row_by_row,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
