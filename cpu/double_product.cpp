#include <algorithm>
#include <climits>

#include "core/machine.h"
#include "cpu/library.h"
#include "cpu/loops.h"
#include "cpu/table.h"

namespace gemmlab::cpu {
namespace {

void eigen_product(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
                   std::int64_t k) {
  widest_loops().double_product(a, b, c, m, n, k, cpu_info().cores);
}

}  // namespace

DoubleProduct double_product() {
  if (!openblas_library().missing().empty()) return eigen_product;
  const LoadedOpenBlas& blas = openblas_with(openblas_default_kernel());
  return
      [&blas](const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k) {
        if (std::max({m, n, k}) > INT_MAX) return eigen_product(a, b, c, m, n, k);
        blas.set_threads(cpu_info().cores);
        const int rows = static_cast<int>(m);
        const int cols = static_cast<int>(n);
        const int inner = static_cast<int>(k);
        blas.dgemm(kCblasRowMajor, kCblasNoTranspose, kCblasNoTranspose, rows, cols, inner, 1.0, a, inner, b,
                   cols, 0.0, c, cols);
      };
}

}  // namespace gemmlab::cpu
