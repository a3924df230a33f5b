// Latency of arithmetic: whole numbers multiplied and added, each step on what the one before gives.

#include "operations/chain/chain.h"

namespace gemmlab {
namespace {

using chaining::kFirst;
using chaining::kLast;

std::uint32_t first_value(std::uint64_t seed, std::int64_t set) {
  return static_cast<std::uint32_t>(seed * 2654435761u + static_cast<std::uint64_t>(set) * 97 + 1);
}

class End : public OperationReference {
 public:
  End(std::int64_t steps, std::uint64_t seed) : steps_(steps), seed_(seed) {}

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::uint32_t x = first_value(seed_, set);
    for (std::int64_t i = 0; i < steps_; ++i) x = x * chaining::kFactor + chaining::kAddend;
    const auto expected = static_cast<std::int32_t>(x);
    return {check_exact(operands.in<std::int32_t>(kLast), &expected, 1)};
  }

 private:
  std::int64_t steps_;
  std::uint64_t seed_;
};

class Chain : public DescribedOperation {
 public:
  Chain()
      : DescribedOperation("chain", {{"steps", "multiply-adds, one after the other", 1, 1 << 30}}, {},
                           {{"first", Direction::kIn, ElementType::kInt32},
                            {"last", Direction::kOut, ElementType::kInt32}}) {}

  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size}; }
  std::int64_t count(const Instance&, std::size_t) const override { return 1; }
  double operation_count(const Instance& instance) const override {
    return 2.0 * static_cast<double>(instance.dims.at(0));
  }
  double least_bytes(const Instance&) const override { return 2 * sizeof(std::int32_t); }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"ns_per_step", "ns per step", static_cast<double>(instance.dims.at(0)) * 1e-9, true}};
  }
  void fill(const Instance&, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    if (operand == kFirst) *static_cast<std::uint32_t*>(host_to) = first_value(values.seed, set);
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<End>(instance.dims.at(0), values.seed);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1}, {2}, {15}, {17}, {1000}, {65537}};
  }
};

}  // namespace

const Operation& chain() {
  static const Chain operation;
  return operation;
}

}  // namespace gemmlab
