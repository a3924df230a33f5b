#include "cpu/spmv/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The definition: row by row, entry by entry, one running sum.
static int multiply(const SpmvProblem& p) {
  for (std::int64_t row = 0; row < p.m; ++row) {
    float sum = 0;
    for (std::int64_t entry = p.offsets[row]; entry < p.offsets[row + 1]; ++entry) {
      sum += p.values[entry] * p.x[p.columns[entry]];
    }
    p.y[row] = sum;
  }
  return 1;
}

extern const SpmvMethod spmv = {
    .id = "cpu.spmv",
    .name = "spmv",
    .summary = "rows one after another, their entries one after another, one thread",
    .source = "textbook",
    .counterpart = "gpu.spmv_scalar",
    .multiply = multiply,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
