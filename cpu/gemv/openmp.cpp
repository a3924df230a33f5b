#include <omp.h>

#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The loops of cpu.gemv with the elements of y shared out in equal parts; nothing else differs.
static int run(const Call& call) {
  const float* a = call.in<float>(0);
  const float* x = call.in<float>(1);
  float* y = call.out<float>(2);
  const std::int64_t m = call.dims[0];
  const std::int64_t n = call.dims[1];
  int threads = 0;
#pragma omp parallel num_threads(call.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    if (call.transposed) {
#pragma omp for schedule(static) nowait
      for (std::int64_t col = 0; col < n; ++col) {
        float sum = 0;
        for (std::int64_t row = 0; row < m; ++row) sum += a[row * n + col] * x[row];
        y[col] = sum;
      }
    } else {
#pragma omp for schedule(static) nowait
      for (std::int64_t row = 0; row < m; ++row) {
        float sum = 0;
        for (std::int64_t col = 0; col < n; ++col) sum += a[row * n + col] * x[col];
        y[row] = sum;
      }
    }
  }
  return threads;
}

extern const CallMethod gemv_openmp = {
    .id = "cpu.gemv_openmp",
    .name = "gemv OpenMP",
    .family = "tiles",
    .summary = "the loops of cpu.gemv, elements of y shared out over OpenMP threads",
    .source = "OpenMP 4.5, worksharing loop, static schedule",
    .counterpart = "gpu.gemv",
    .threaded = true,
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
