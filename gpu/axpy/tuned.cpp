#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/scaled_sum.h"

namespace gemmlab::gpu {
const Implementation& axpy_tuned() {
  static const CallImplementation row(
      "axpy",
      describe({.id = "gpu.axpy_tuned",
                .name = "axpy tuned",
                .family = "best",
                .summary = "eight 16-byte loads in flight per thread before the first store",
                .source = "textbook",
                .counterpart = "cpu.axpy_simd"}),
      [](const Instance& instance) { return scaled_sum_session(instance, kAxpy); });
  return row;
}

}  // namespace gemmlab::gpu
