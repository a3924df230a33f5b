#include <omp.h>

#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The loop of cpu.triad shared out in equal parts; nothing else differs.
static int run(const Call& call) {
  const float s = call.factor;
  const float* b = call.in<float>(0);
  const float* c = call.in<float>(1);
  float* a = call.out<float>(2);
  int threads = 0;
#pragma omp parallel num_threads(call.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (std::int64_t i = 0; i < call.dims[0]; ++i) a[i] = b[i] + s * c[i];
  }
  return threads;
}

extern const CallMethod triad_openmp = {
    .id = "cpu.triad_openmp",
    .name = "triad OpenMP",
    .family = "tiles",
    .summary = "the loop of cpu.triad shared out over OpenMP threads",
    .source = "OpenMP 4.5, worksharing loop, static schedule",
    .counterpart = "gpu.triad",
    .threaded = true,
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
