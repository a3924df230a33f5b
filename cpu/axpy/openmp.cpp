#include <omp.h>

#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The loop of cpu.axpy shared out in equal parts; nothing else differs.
static int run(const Call& call) {
  const float alpha = call.factor;
  const float* x = call.in<float>(0);
  float* y = call.out<float>(1);
  int threads = 0;
#pragma omp parallel num_threads(call.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (std::int64_t i = 0; i < call.dims[0]; ++i) y[i] += alpha * x[i];
  }
  return threads;
}

extern const CallMethod axpy_openmp = {
    .id = "cpu.axpy_openmp",
    .name = "axpy OpenMP",
    .family = "tiles",
    .summary = "the loop of cpu.axpy shared out over OpenMP threads",
    .source = "OpenMP 4.5, worksharing loop, static schedule",
    .counterpart = "gpu.axpy",
    .threaded = true,
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
