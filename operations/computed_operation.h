#pragma once

// An operation on float32 arrays that a formula tells: what one element of its result is. Inputs, rates and
// checks follow from that. For an operations/NAME/operation.cpp.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/verification/verify_element.h"
#include "operations/described_operation.h"
#include "operations/vectors.h"

namespace gemmlab {

/// An element of the result as it has to be, and the sum of the magnitudes of the terms that it is made of:
/// 16 roundings of that are allowed.
struct Element {
  double value = 0;
  double magnitude = 0;
};

/// One operand is the result, of direction kOut or kInOut. Every operand has as many elements as the
/// dimensions' product, row-major, unless count() says otherwise.
class ComputedOperation : public DescribedOperation {
 public:
  /// Element `index` of the result. `before[operand]`: what an operand that is read held before the call.
  using Arrays = std::vector<std::vector<float>>;
  virtual Element expected(const Instance& instance, const Arrays& before, std::int64_t index) const = 0;
  /// Products that one element of the result sums up.
  virtual std::int64_t terms(const Instance&) const { return 1; }

  std::string title() const override { return title_; }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override {
    return std::vector<std::int64_t>(dimensions().size(), size);
  }
  std::int64_t count(const Instance& instance, std::size_t) const override {
    return std::accumulate(instance.dims.begin(), instance.dims.end(), std::int64_t{1}, std::multiplies<>());
  }
  double operation_count(const Instance& instance) const override {
    return static_cast<double>(count(instance, result(instance))) * static_cast<double>(terms(instance));
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return memory_rates(least_bytes(instance), operation_count(instance));
  }
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    auto* to = static_cast<float*>(host_to);
    const std::int64_t elements = count(instance, operand);
    if (operands(instance).at(operand).direction == Direction::kOut) return fill_with_nan(to, elements);
    const auto base = static_cast<Operand>(1 + std::min<std::size_t>(operand, 2));
    gemmlab::fill(to, elements, 1, values.distribution, values.seed, base, set,
                  integer_limit(terms(instance)));
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<Reference>(*this, instance, values);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    const std::vector<std::int64_t> lengths = {1, 31, 64, 3, 127, 17};
    std::vector<std::vector<std::int64_t>> all(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      for (std::size_t dimension = 0; dimension < dimensions().size(); ++dimension)
        all[i].push_back(lengths[(i + 2 * dimension) % lengths.size()]);
    }
    return all;
  }

 protected:
  /// `title` is a formula: "B = Aᵀ, float32".
  ComputedOperation(std::string name, std::string title, std::vector<DimensionSpec> dimensions,
                    std::vector<OptionSpec> options, std::vector<OperandSpec> operands)
      : DescribedOperation(std::move(name), std::move(dimensions), std::move(options), std::move(operands)),
        title_(std::move(title)) {}

 private:
  std::size_t result(const Instance& instance) const {
    const std::vector<OperandSpec> specs = operands(instance);
    std::size_t operand = 0;
    while (specs.at(operand).direction == Direction::kIn) ++operand;
    return operand;
  }

  class Reference : public OperationReference {
   public:
    Reference(const ComputedOperation& operation, const Instance& instance, const InputValues& values)
        : operation_(operation), instance_(instance), values_(values) {}

    std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
      const Arrays before = arrays(set);
      const std::size_t result = operation_.result(instance_);
      const Bounds bounds = Bounds::of(values_.distribution, operation_.terms(instance_));
      const bool whole = values_.distribution == Distribution::kInteger;
      Worst worst;
      for (std::int64_t i = 0; i < operation_.count(instance_, result); ++i) {
        const auto [value, magnitude] = operation_.expected(instance_, before, i);
        const double found = operands.in<float>(result)[i];
        if (whole && static_cast<float>(value) == value) {
          meet_exact(worst, found, value, i);
        } else {
          meet_element(worst, bounds, found, value, magnitude, i);
        }
      }
      Check check;
      check.method = whole ? "exact" : "bound";
      check.eta_max = worst.eta;
      check.worst_row = worst.index;
      check.worst_col = 0;
      check.verdict = bounds.verdict(worst);
      return {check};
    }

   private:
    Arrays arrays(std::int64_t set) const {
      const std::vector<OperandSpec> specs = instance_.operands();
      Arrays all(specs.size());
      for (std::size_t operand = 0; operand < all.size(); ++operand) {
        if (specs[operand].direction == Direction::kOut) continue;
        all[operand].resize(static_cast<std::size_t>(operation_.count(instance_, operand)));
        operation_.fill(instance_, operand, values_, set, all[operand].data());
      }
      return all;
    }

    const ComputedOperation& operation_;
    Instance instance_;
    InputValues values_;
  };

  std::string title_;
};

}  // namespace gemmlab
