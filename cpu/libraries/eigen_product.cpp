#include "cpu/libraries/eigen_product.h"

#include <Eigen/Core>

#include "cpu/device/kernel.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

using DoubleMap = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstDoubleMap =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

static void multiply(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
                     std::int64_t k, int threads) {
  Eigen::setNbThreads(threads);
  DoubleMap(c, m, n).noalias() = ConstDoubleMap(a, m, k) * ConstDoubleMap(b, k, n);
}

extern const EigenProduct eigen_product = multiply;

}  // namespace GEMMLAB_KERNEL_NAMESPACE
