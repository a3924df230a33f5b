#include <omp.h>

#include <Eigen/Core>

#include "cpu/gemm/method.h"

#define GEMMLAB_TEXT_(x) #x
#define GEMMLAB_TEXT(x) GEMMLAB_TEXT_(x)

namespace GEMMLAB_KERNEL_NAMESPACE {

using MatrixMap = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstMatrixMap =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

using Stride = Eigen::OuterStride<Eigen::Dynamic>;
template <int kOrder>
using StridedMap =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, kOrder>, Eigen::Unaligned, Stride>;
using StridedC = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
                            Eigen::Unaligned, Stride>;

/// Rows that are stored as columns are a matrix in column order: a transpose is a matter of its type.
template <int kOrderOfA, int kOrderOfB>
static void add_product(const Product& p, StridedC& c) {
  const StridedMap<kOrderOfA> a(p.a, p.m, p.k, Stride(p.form.lda));
  const StridedMap<kOrderOfB> b(p.b, p.k, p.n, Stride(p.form.ldb));
  c.noalias() += p.form.alpha * a * b;
}

static void multiply_form(const Product& p) {
  StridedC c(p.c, p.m, p.n, Stride(p.form.ldc));
  if (p.form.beta == 0) {
    c.setZero();
  } else if (p.form.beta != 1) {
    c *= p.form.beta;
  }
  if (p.form.transpose_a) {
    p.form.transpose_b ? add_product<Eigen::ColMajor, Eigen::ColMajor>(p, c)
                       : add_product<Eigen::ColMajor, Eigen::RowMajor>(p, c);
  } else {
    p.form.transpose_b ? add_product<Eigen::RowMajor, Eigen::ColMajor>(p, c)
                       : add_product<Eigen::RowMajor, Eigen::RowMajor>(p, c);
  }
}

/// How many threads Eigen 3.4 starts for a row-major C: it does not say, so its own rule is repeated
/// here (Core/products/Parallelizer.h; vectors and products of fewer than 20 rows, columns and terms
/// take other paths).
static int threads_started(const Product& p) {
  if (p.m == 1 || p.n == 1 || p.m + p.n + p.k < 20) return 1;
  const double by_work =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) / 50000;
  const std::int64_t by_rows = p.m / Eigen::internal::gebp_traits<float, float>::nr;
  double most = static_cast<double>(by_rows < p.threads ? by_rows : p.threads);
  if (by_work < most) most = by_work;
  return most < 1 ? 1 : static_cast<int>(most);
}

/// Eigen's own product, compiled with the flags of each isa: its speed is that of the flags. Eigen is
/// renamed by each object's flags (-DEigen=...), since its inline functions would otherwise be shared
/// between the isas.
static int multiply(const Product& p) {
  Eigen::setNbThreads(p.threads);
  if (p.form.transpose_a || p.form.transpose_b || p.form.alpha != 1 || p.form.beta != 0 ||
      p.form.lda != p.k || p.form.ldb != p.n || p.form.ldc != p.n) {
    multiply_form(p);
    return threads_started(p);
  }
  const ConstMatrixMap a(p.a, p.m, p.k);
  const ConstMatrixMap b(p.b, p.k, p.n);
  MatrixMap c(p.c, p.m, p.n);
  c.noalias() = a * b;
  return threads_started(p);
}

extern const Method eigen = {
    .id = "cpu.eigen",
    .name = "Eigen",
    .summary =
        "Eigen's matrix product, compiled for the isa: copied blocks of A and B, a tile of C in registers",
    .source = "Eigen, eigen.tuxfamily.org",
    .threaded = true,
    .library_version = GEMMLAB_TEXT(EIGEN_WORLD_VERSION) "." GEMMLAB_TEXT(
        EIGEN_MAJOR_VERSION) "." GEMMLAB_TEXT(EIGEN_MINOR_VERSION),
    .multiply = multiply,
    .plan = nullptr,
    .takes_forms = true,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
