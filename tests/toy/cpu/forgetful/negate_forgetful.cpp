#include "core/session_row.h"

namespace gemmlab::cpu {
namespace {

/// A planted fault: overwrites y where it should add to it.
int run(const Instance& instance, const Operands& operands) {
  const auto factor = static_cast<float>(std::get<double>(instance.option("factor")));
  for (std::int64_t i = 0; i < instance.dim("n"); ++i)
    operands.out<float>(1)[i] = -factor * operands.in<float>(0)[i];
  return 1;
}

}  // namespace

const Implementation& negate_forgetful() {
  static const FunctionRow row({.id = "cpu.negate_forgetful",
                                .summary = "one loop",
                                .source = "planted",
                                .operation = "negate",
                                .variant_of = "cpu.negate"},
                               run);
  return row;
}

}  // namespace gemmlab::cpu
