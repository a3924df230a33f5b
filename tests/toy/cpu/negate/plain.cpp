#include "core/session_row.h"

namespace gemmlab::cpu {
namespace {

/// Operands in the operation's order; an output is overwritten, never read, unless it is read and written.
int run(const Instance& instance, const Operands& operands) {
  const auto factor = static_cast<float>(std::get<double>(instance.option("factor")));
  const bool accumulates = instance.in_out();
  const float* x = operands.in<float>(0);
  float* y = operands.out<float>(1);
  for (std::int64_t i = 0; i < instance.dim("n"); ++i) y[i] = (accumulates ? y[i] : 0) - factor * x[i];
  return 1;  // thread took part
}

}  // namespace

const Implementation& negate() {
  static const FunctionRow row(
      {.id = "cpu.negate", .summary = "one loop, one thread", .source = "textbook", .operation = "negate"},
      run);
  return row;
}

}  // namespace gemmlab::cpu
