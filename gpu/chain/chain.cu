// The latency of arithmetic from register to register: one thread, IMAD after IMAD.

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/cycles.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/table.h"
#include "operations/chain/chain.h"

namespace gemmlab::gpu {
namespace {

constexpr int kUnroll = 32;

/// The factor and the addend come as arguments: of constants the compiler would make shifts and adds.
__global__ void step_on(const unsigned* first, unsigned* last, int steps, unsigned factor, unsigned addend,
                        long long* cycles) {
  unsigned x = *first;
  const long long start = clock_now();
#pragma unroll kUnroll
  for (int i = 0; i < steps; ++i) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(factor), "r"(addend));
  }
  *cycles = clock_now() - start;
  *last = x;
}

class ChainSession : public Session {
 public:
  static constexpr bool kResident = false;

  ChainSession(const Instance& instance, const Parameters&) : steps_(static_cast<int>(instance.dims.at(0))) {}

  void run(const Operands& operands) override {
    launch(step_on, 1, dim3(1), 0, operands.in<unsigned>(chaining::kFirst),
           operands.out<unsigned>(chaining::kLast), steps_, chaining::kFactor, chaining::kAddend,
           cycles_.device());
  }
  Facts chosen() const override { return {{"cycles_per_step", cycles_.read() / steps_}}; }
  Facts resources() const override { return kernel_resources(reinterpret_cast<const void*>(step_on), 1, 0); }

 private:
  int steps_;
  Cycles cycles_;
};

}  // namespace

const Implementation& chain() {
  static const SessionRow<ChainSession> row(
      describe({.id = "gpu.chain",
                .name = "chain",
                .summary = "one thread, each multiply-add on what the one before gives",
                .source = "Wong et al., ISPASS 2010",
                .counterpart = "cpu.chain",
                .operation = "chain"}),
      nullptr, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
