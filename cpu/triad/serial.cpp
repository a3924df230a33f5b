#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// a = b + s·c, element by element. The compiler vectorises it: no element waits for another.
static int run(const Call& call) {
  const float s = call.factor;
  const float* b = call.in<float>(0);
  const float* c = call.in<float>(1);
  float* a = call.out<float>(2);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) a[i] = b[i] + s * c[i];
  return 1;
}

extern const CallMethod triad = {
    .id = "cpu.triad",
    .name = "triad",
    .summary = "one loop, one thread: a = b + s·c as it is written",
    .source = "J. McCalpin, STREAM; T. Deakin et al., BabelStream",
    .counterpart = "gpu.triad",
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
