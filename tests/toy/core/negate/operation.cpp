#include "core/operation.h"

#include <algorithm>

#include "core/inputs.h"
#include "core/verify_element.h"

namespace gemmlab {
namespace {

constexpr std::size_t kX = 0;
constexpr std::size_t kY = 1;

bool accumulates(const Instance& instance) {
  return std::get<std::string>(instance.option("accumulate")) == "yes";
}

/// y = -factor·x, or y = y - factor·x where it accumulates.
class Negate : public Operation {
 public:
  const std::string& name() const override {
    static const std::string name = "negate";
    return name;
  }
  std::string title() const override { return "y = -x"; }
  const std::vector<DimensionSpec>& dimensions() const override {
    static const std::vector<DimensionSpec> all = {{"n", "elements of x and y", 1, 1 << 28}};
    return all;
  }
  const std::vector<OptionSpec>& options() const override {
    static const std::vector<OptionSpec> all = {
        {"factor", "what x is multiplied by", {}, 1.0},
        {"accumulate", "is y added to?", {std::string("no"), std::string("yes")}, std::string("no")}};
    return all;
  }
  const std::vector<OperandSpec>& operands() const override {
    static const std::vector<OperandSpec> all = {{"x", Direction::kIn, ElementType::kFloat32},
                                                 {"y", Direction::kOut, ElementType::kFloat32}};
    return all;
  }
  Direction direction(const Instance& instance, std::size_t operand) const override {
    return operand == kY && accumulates(instance) ? Direction::kInOut
                                                  : Operation::direction(instance, operand);
  }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size}; }
  std::int64_t count(const Instance& instance, std::size_t) const override { return instance.dims[0]; }
  double operation_count(const Instance& instance) const override {
    return static_cast<double>(instance.dims[0]);
  }
  double least_bytes(const Instance& instance) const override {
    return (accumulates(instance) ? 12.0 : 8.0) * static_cast<double>(instance.dims[0]);
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"gbyte_per_s", "GB/s", least_bytes(instance) * 1e-9}};
  }
  std::string why_not(const Instance&) const override { return {}; }
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    gemmlab::fill(static_cast<float*>(host_to), instance.dims[0], 1, values.distribution, values.seed,
                  operand == kX ? Operand::kA : Operand::kB, set, integer_limit(1));
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override;
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override { return {{1}, {31}, {1000}}; }
};

class NegateReference : public OperationReference {
 public:
  NegateReference(const Instance& instance, const InputValues& values)
      : instance_(instance), values_(values) {}
  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::vector<float> x(static_cast<std::size_t>(instance_.dims[0]));
    std::vector<float> y(x.size(), 0.0F);
    instance_.operation->fill(instance_, kX, values_, set, x.data());
    if (accumulates(instance_)) instance_.operation->fill(instance_, kY, values_, set, y.data());
    const double factor = std::get<double>(instance_.option("factor"));
    Worst worst;
    const Bounds bounds = Bounds::of(values_.distribution, 1);
    const bool exact = values_.distribution == Distribution::kInteger;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double term = factor * x[i];
      const float found = operands.in<float>(kY)[i];
      if (exact) {
        meet_exact(worst, found, y[i] - term, static_cast<std::int64_t>(i));
      } else {
        meet_element(worst, bounds, found, y[i] - term, std::abs(term) + std::abs(y[i]),
                     static_cast<std::int64_t>(i));
      }
    }
    Check check;
    check.method = exact ? "exact" : "bound";
    check.eta_max = worst.eta;
    check.worst_row = worst.index;
    check.worst_col = 0;
    check.verdict = bounds.verdict(worst);
    return {check};
  }

 private:
  Instance instance_;
  InputValues values_;
};

std::unique_ptr<OperationReference> Negate::reference(const Instance& instance, const InputValues& values,
                                                      const DoubleProduct&) const {
  return std::make_unique<NegateReference>(instance, values);
}

}  // namespace

const Operation& negate() {
  static const Negate operation;
  return operation;
}

}  // namespace gemmlab
