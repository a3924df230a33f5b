#include "operations/computed_operation.h"

namespace gemmlab {
namespace {

constexpr std::size_t kX = 0;  // the operands' places
constexpr std::size_t kY = 1;

/// y = -factor·x, or y = y - factor·x where it accumulates.
class Negate : public ComputedOperation {
 public:
  Negate()
      : ComputedOperation("negate", "y = -x, float32", {{"n", "elements of x and y", 1, 1 << 28}},
                          {{"factor", "what x is multiplied by", {}, 1.0},
                           {"accumulate",
                            "is it added to what y holds?",
                            {std::string("no"), std::string("yes")},
                            std::string("no")}},
                          {{"x"}, {"y", Direction::kOut}}) {}

  std::vector<OperandSpec> operands(const Instance& instance) const override {
    return {{"x"}, {"y", text_option(instance, "accumulate") == "yes" ? Direction::kInOut : Direction::kOut}};
  }
  Element expected(const Instance& instance, const Arrays& before, std::int64_t index) const override {
    const auto i = static_cast<std::size_t>(index);
    const double product = std::get<double>(instance.option("factor")) * before[kX][i];
    const double y = instance.in_out() ? before[kY][i] : 0;
    return {y - product, std::abs(y) + std::abs(product)};
  }
};

}  // namespace

const Operation& negate() {
  static const Negate operation;
  return operation;
}

}  // namespace gemmlab
