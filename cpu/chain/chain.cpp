// The latency of arithmetic from register to register: one thread, a multiplication and an addition
// after the other.

#include "operations/chain/chain.h"

#include "core/session_row.h"

namespace gemmlab::cpu {
namespace {

class ChainSession : public Session {
 public:
  static constexpr bool kResident = false;

  ChainSession(const Instance& instance, const Parameters&) : steps_(instance.dims.at(0)) {}

  void run(const Operands& operands) override {
    std::uint32_t factor = chaining::kFactor;
    std::uint32_t addend = chaining::kAddend;
    asm volatile("" : "+r"(factor), "+r"(addend));  // no longer known, so that two steps cannot be made one
    std::uint32_t x = *operands.in<std::uint32_t>(chaining::kFirst);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < steps_; ++i) {
      x = x * factor + addend;
      asm volatile("" : "+r"(x));
    }
    *operands.out<std::uint32_t>(chaining::kLast) = x;
  }
  int threads_actual() const override {
    return 1;
  }

 private:
  std::int64_t steps_;
};

}  // namespace

const Implementation& chain() {
  static const SessionRow<ChainSession> row(
      {.id = "cpu.chain",
       .name = "chain",
       .summary = "one thread, each multiply-add on what the one before gives",
       .source = "Fog, Instruction tables",
       .counterpart = "gpu.chain",
       .operation = "chain"});
  return row;
}

}  // namespace gemmlab::cpu
