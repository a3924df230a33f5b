#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// y = A·x, A (m, n) row-major: each element of y is one dot product of a row of A with x. Transposed, y =
/// Aᵀ·x: of a column of A, read with a stride of n.
static int run(const Call& call) {
  const float* a = call.in<float>(0);
  const float* x = call.in<float>(1);
  float* y = call.out<float>(2);
  const std::int64_t m = call.dims[0];
  const std::int64_t n = call.dims[1];
  for (std::int64_t row = 0; row < m && !call.transposed; ++row) {
    float sum = 0;
    for (std::int64_t col = 0; col < n; ++col) sum += a[row * n + col] * x[col];
    y[row] = sum;
  }
  for (std::int64_t col = 0; col < n && call.transposed; ++col) {
    float sum = 0;
    for (std::int64_t row = 0; row < m; ++row) sum += a[row * n + col] * x[row];
    y[col] = sum;
  }
  return 1;
}

extern const CallMethod gemv = {
    .id = "cpu.gemv",
    .name = "gemv",
    .summary = "two nested loops, one thread: a dot product per element of y",
    .source = "textbook",
    .counterpart = "gpu.gemv",
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
