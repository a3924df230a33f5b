// An operation of which an option says what type its operands have.

#include "operations/described_operation.h"
#include "operations/vectors.h"

namespace gemmlab {
namespace {

constexpr std::size_t kX = 0;
constexpr std::size_t kY = 1;

bool is_long(const Instance& instance) {
  return text_option(instance, "type") == "int64";
}

/// Its numbers lie above 2³² where they may: who takes them for 32 bits is wrong.
std::int64_t element_of_x(const Instance& instance, std::uint64_t seed, std::int64_t set, std::int64_t i) {
  return small_integer(seed, set, i) + (is_long(instance) ? std::int64_t{1} << 33 : 0);
}

class CountUpReference : public OperationReference {
 public:
  CountUpReference(const Instance& instance, std::uint64_t seed) : instance_(instance), seed_(seed) {}

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    return {is_long(instance_) ? checked<std::int64_t>(operands, set) : checked<std::int32_t>(operands, set)};
  }

 private:
  template <typename T>
  Check checked(const Operands& operands, std::int64_t set) const {
    std::vector<T> expected;
    for (std::int64_t i = 0; i < instance_.dim("n"); ++i)
      expected.push_back(static_cast<T>(element_of_x(instance_, seed_, set, i) + 1));
    return check_exact(operands.in<T>(kY), expected.data(), instance_.dim("n"));
  }

  Instance instance_;
  std::uint64_t seed_;
};

/// y = x + 1.
class CountUp : public DescribedOperation {
 public:
  CountUp()
      : DescribedOperation(
            "count_up", {{"n", "elements of x and y", 1, 1 << 28}},
            {{"type", "of x and y", {std::string("int32"), std::string("int64")}, std::string("int32")}},
            {{"x"}, {"y", Direction::kOut}}) {}

  std::vector<OperandSpec> operands(const Instance& instance) const override {
    std::vector<OperandSpec> all = DescribedOperation::operands(instance);
    for (OperandSpec& operand : all)
      operand.type = is_long(instance) ? ElementType::kInt64 : ElementType::kInt32;
    return all;
  }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size}; }
  std::int64_t count(const Instance& instance, std::size_t) const override { return instance.dim("n"); }
  double operation_count(const Instance& instance) const override {
    return static_cast<double>(instance.dim("n"));
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return memory_rates(least_bytes(instance), operation_count(instance));
  }
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    if (operand != kX) return;
    for (std::int64_t i = 0; i < instance.dim("n"); ++i) {
      const std::int64_t value = element_of_x(instance, values.seed, set, i);
      if (is_long(instance)) {
        static_cast<std::int64_t*>(host_to)[i] = value;
      } else {
        static_cast<std::int32_t*>(host_to)[i] = static_cast<std::int32_t>(value);
      }
    }
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<CountUpReference>(instance, values.seed);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override { return {{1}, {31}, {4097}}; }
};

}  // namespace

const Operation& count_up() {
  static const CountUp operation;
  return operation;
}

}  // namespace gemmlab
