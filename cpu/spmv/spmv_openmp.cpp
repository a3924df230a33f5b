#include <omp.h>

#include "cpu/spmv/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The loop of cpu.spmv over threads. Each takes adjacent rows with as many entries as the others have: equal
/// numbers of rows would leave the thread with the long rows behind. A single row is never cut.
static int multiply(const SpmvProblem& p) {
  int threads = 0;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const std::int64_t count = omp_get_num_threads();
    const std::int64_t mine = omp_get_thread_num();
    const std::int64_t end = first_row_of(p, mine + 1, count);
    for (std::int64_t row = first_row_of(p, mine, count); row < end; ++row) {
      float sum = 0;
      for (std::int64_t entry = p.offsets[row]; entry < p.offsets[row + 1]; ++entry) {
        sum += p.values[entry] * p.x[p.columns[entry]];
      }
      p.y[row] = sum;
    }
  }
  return threads;
}

extern const SpmvMethod spmv_openmp = {
    .id = "cpu.spmv_openmp",
    .name = "spmv OpenMP",
    .family = "tiles",
    .summary = "the loop of cpu.spmv, rows over threads so that each has as many entries",
    .source =
        "Williams et al., Optimization of Sparse Matrix-Vector Multiplication on Emerging Multicore "
        "Platforms, 2007 (rows balanced by entries)",
    .counterpart = "gpu.spmv_warp",
    .threaded = true,
    .multiply = multiply,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
