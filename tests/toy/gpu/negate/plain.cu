#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;

__global__ void negate_kernel(const float* x, float* y, std::int64_t count, float factor, bool accumulates) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) y[i] = (accumulates ? y[i] : 0) - factor * x[i];
}

/// Operands in the operation's order, in the card's memory.
int run(const Instance& instance, const Operands& operands) {
  const std::int64_t count = instance.dim("n");
  launch(negate_kernel, ceil_div(count, std::int64_t{kThreads}), dim3(kThreads), 0, operands.in<float>(0),
         operands.out<float>(1), count, static_cast<float>(std::get<double>(instance.option("factor"))),
         instance.in_out());
  return 0;
}

}  // namespace

const Implementation& negate() {
  static const FunctionRow row(describe({.id = "gpu.negate",
                                         .summary = "one thread per element",
                                         .source = "textbook",
                                         .counterpart = "cpu.negate",
                                         .operation = "negate"}),
                               run, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
