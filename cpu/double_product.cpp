#include <algorithm>
#include <climits>

#include "core/machine.h"
#include "cpu/blas.h"
#include "cpu/loops.h"
#include "cpu/table.h"

namespace gemmlab::cpu {
namespace {

void eigen_product(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
                   std::int64_t k) {
  widest_loops().double_product(a, b, c, m, n, k, cpu_info().cores);
}

using CblasDgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                        const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc);

}  // namespace

DoubleProduct double_product() {
  const Blas& openblas = openblas_blas();
  if (!openblas.library().missing().empty()) return eigen_product;
  const LoadedBlas& blas = loaded(openblas, default_kernel(openblas));
  return [&blas, dgemm = blas.symbol<CblasDgemm>("cblas_dgemm")](
             const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (std::max({m, n, k}) > INT_MAX) return eigen_product(a, b, c, m, n, k);
    blas.set_threads(cpu_info().cores);
    const int rows = static_cast<int>(m);
    const int cols = static_cast<int>(n);
    const int inner = static_cast<int>(k);
    dgemm(kCblasRowMajor, kCblasNoTranspose, kCblasNoTranspose, rows, cols, inner, 1.0, a, inner, b, cols,
          0.0, c, cols);
  };
}

}  // namespace gemmlab::cpu
