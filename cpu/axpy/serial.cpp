#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// y = α·x + y, element by element. The compiler vectorises it: no element waits for another.
static int run(const Call& call) {
  const float alpha = call.factor;
  const float* x = call.in<float>(0);
  float* y = call.out<float>(1);
  for (std::int64_t i = 0; i < call.dims[0]; ++i) y[i] += alpha * x[i];
  return 1;
}

extern const CallMethod axpy = {
    .id = "cpu.axpy",
    .name = "axpy",
    .summary = "one loop, one thread: y = α·x + y as it is written",
    .source = "textbook",
    .counterpart = "gpu.axpy",
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
