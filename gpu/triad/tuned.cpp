#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/scaled_sum.h"

namespace gemmlab::gpu {
const Implementation& triad_tuned() {
  static const CallImplementation row(
      "triad",
      describe({.id = "gpu.triad_tuned",
                .name = "triad tuned",
                .family = "best",
                .summary = "eight 16-byte loads in flight per thread before the first store",
                .source = "J. McCalpin, STREAM; T. Deakin et al., BabelStream",
                .counterpart = "cpu.triad_simd"}),
      [](const Instance& instance) { return scaled_sum_session(instance, kTriad); });
  return row;
}

}  // namespace gemmlab::gpu
