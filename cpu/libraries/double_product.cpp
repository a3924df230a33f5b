#include <algorithm>
#include <climits>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/machine/machine.h"
#include "cpu/device/isa.h"
#include "cpu/libraries/blas.h"
#include "cpu/libraries/eigen_product.h"
#include "cpu/table.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE_PRODUCT(isa, ...)  \
  namespace isa {                          \
  extern const EigenProduct eigen_product; \
  }
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_PRODUCT, )

EigenProduct eigen_product_of(const char* isa) {
#define GEMMLAB_PRODUCT_ROW(name, ...) {#name, name::eigen_product},
  const std::pair<const char*, EigenProduct> table[] = {GEMMLAB_EACH_ISA(GEMMLAB_PRODUCT_ROW, )};
  for (const auto& [name, product] : table) {
    if (std::strcmp(name, isa) == 0) return product;
  }
  throw std::invalid_argument(std::string("Eigen's product is not compiled for isa ") + isa);
}

namespace {

void eigen_product(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
                   std::int64_t k) {
  eigen_product_of(cpu_info().isa.back().c_str())(a, b, c, m, n, k, cpu_info().cores);
}

using CblasDgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                        const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc);

}  // namespace

DoubleProduct double_product() {
  const Blas& openblas = openblas_blas();
  if (!openblas.library().missing().empty()) return eigen_product;
  const LoadedBlas& blas = loaded(openblas);
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
