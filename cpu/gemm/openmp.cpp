#include <omp.h>

#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The loop of cpu.serial with the rows of C shared out in equal parts; nothing else differs, so that the
/// ratio of the two is the gain from threads alone. Rows beyond a whole share make the first threads'
/// parts one longer.
static int multiply(const Product& p) {
  int threads = 0;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t col = 0; col < p.n; ++col) {
        float sum = 0;
        for (std::int64_t inner = 0; inner < p.k; ++inner) {
          sum += p.a[row * p.k + inner] * p.b[inner * p.n + col];
        }
        p.c[row * p.n + col] = sum;
      }
    }
  }
  return threads;
}

extern const Method openmp = {
    .id = "cpu.openmp",
    .name = "OpenMP",
    .family = "plain",
    .summary = "the loops i j k of cpu.serial, rows shared out over OpenMP threads",
    .source = "OpenMP 4.5, worksharing loop, static schedule",
    .counterpart = "gpu.naive",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_row_by_row,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
