#include "core/session_row.h"

namespace gemmlab::cpu {
namespace {

template <typename T>
void add_one(std::int64_t count, const Operands& operands) {
  for (std::int64_t i = 0; i < count; ++i) operands.out<T>(1)[i] = operands.in<T>(0)[i] + 1;
}

int run(const Instance& instance, const Operands& operands) {
  const bool is_long = instance.operands()[0].type == ElementType::kInt64;
  is_long ? add_one<std::int64_t>(instance.dim("n"), operands)
          : add_one<std::int32_t>(instance.dim("n"), operands);
  return 1;
}

/// A planted fault: takes every operand for one of 32-bit numbers.
int run_narrow(const Instance& instance, const Operands& operands) {
  add_one<std::int32_t>(instance.dim("n"), operands);
  return 1;
}

}  // namespace

const Implementation& count_up() {
  static const FunctionRow row(
      {.id = "cpu.count_up", .summary = "one loop", .source = "textbook", .operation = "count_up"}, run);
  return row;
}

const Implementation& count_up_narrow() {
  static const FunctionRow row({.id = "cpu.count_up_narrow",
                                .summary = "one loop",
                                .source = "planted",
                                .operation = "count_up",
                                .variant_of = "cpu.count_up"},
                               run_narrow);
  return row;
}

}  // namespace gemmlab::cpu
