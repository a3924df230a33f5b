#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// r = Σ x[i]·y[i], term by term. It stays scalar at -O3: a float sum may not be reordered without
/// -ffast-math, so each addition waits for the one before it, 4 cycles for 8 bytes.
static int run(const Call& call) {
  const float* x = call.in<float>(0);
  const float* y = call.in<float>(1);
  float sum = 0;
  for (std::int64_t i = 0; i < call.dims[0]; ++i) sum += x[i] * y[i];
  *call.out<float>(2) = sum;
  return 1;
}

extern const CallMethod dot = {
    .id = "cpu.dot",
    .name = "dot",
    .summary = "one loop, one sum, one thread: the definition of the dot product",
    .source = "textbook",
    .counterpart = "gpu.dot",
    .run = run,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
