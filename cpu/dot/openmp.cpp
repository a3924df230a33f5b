#include <omp.h>

#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The loop of cpu.dot shared out in equal parts, a sum per thread; nothing else differs.
static int run(const Call& call) {
  const float* x = call.in<float>(0);
  const float* y = call.in<float>(1);
  float sum = 0;
  int threads = 0;
#pragma omp parallel num_threads(call.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp for schedule(static) reduction(+ : sum)
    for (std::int64_t i = 0; i < call.dims[0]; ++i) sum += x[i] * y[i];
  }
  *call.out<float>(2) = sum;
  return threads;
}

extern const CallMethod dot_openmp = {
    .id = "cpu.dot_openmp",
    .name = "dot OpenMP",
    .family = "tiles",
    .summary = "the loop of cpu.dot shared out over OpenMP threads, a sum per thread",
    .source = "OpenMP 4.5, reduction clause",
    .counterpart = "gpu.dot",
    .threaded = true,
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
