#include <omp.h>

#include <Eigen/SparseCore>

#include "cpu/spmv/method.h"

#define GEMMLAB_TEXT_(x) #x
#define GEMMLAB_TEXT(x) GEMMLAB_TEXT_(x)

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Eigen's own product of a row-major sparse matrix and a vector, compiled with the flags of each isa. From
/// 20,000 entries on it takes threads (SparseCore/SparseDenseProduct.h), in pieces of rows.
static int multiply(const SpmvProblem& p) {
  using Sparse = Eigen::SparseMatrix<float, Eigen::RowMajor, int>;
  constexpr std::int64_t kWorthThreads = 20000;  // Eigen's
  Eigen::setNbThreads(p.threads);
  const Eigen::Map<const Sparse> a(p.m, p.n, p.nnz, p.offsets, p.columns, p.values);
  const Eigen::Map<const Eigen::VectorXf> x(p.x, p.n);
  Eigen::Map<Eigen::VectorXf> y(p.y, p.m);
  y.noalias() = a * x;
  return p.nnz > kWorthThreads ? p.threads : 1;
}

extern const SpmvMethod eigen_spmv = {
    .id = "cpu.eigen_spmv",
    .name = "Eigen",
    .summary = "Eigen's product of a sparse row-major matrix and a vector, compiled for the isa",
    .source = "Eigen, eigen.tuxfamily.org",
    .threaded = true,
    .library_version = GEMMLAB_TEXT(EIGEN_WORLD_VERSION) "." GEMMLAB_TEXT(
        EIGEN_MAJOR_VERSION) "." GEMMLAB_TEXT(EIGEN_MINOR_VERSION),
    .multiply = multiply,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
