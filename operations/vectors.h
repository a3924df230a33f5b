#pragma once

// What the operations on vectors have in common: one dimension, n, and float32 vectors that are made, shifted
// and checked alike.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/operation.h"

namespace gemmlab {

/// The inputs of an operation on vectors, element by element.
struct VectorInputs {
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 0;
  std::int64_t n = 0;
  std::int32_t limit = 0;  ///< integers: the largest magnitude

  bool exact() const { return distribution == Distribution::kInteger; }
  /// Elements first..first+count-1 of set `set`: element i of a set is element (i + set) mod n of the base.
  void range(Operand operand, std::int64_t set, std::int64_t first, std::int64_t count, float* to) const;
};

/// An operation on vectors of n elements. Set s of its inputs holds the base vectors shifted cyclically by s
/// places, so that a sum stays and a vector result shifts along.
class VectorOperation : public Operation {
 public:
  const std::string& name() const override { return name_; }
  const std::vector<DimensionSpec>& dimensions() const override;
  const std::vector<OptionSpec>& options() const override { return options_; }
  std::vector<OperandSpec> operands(const Instance&) const override { return operands_; }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size}; }
  std::int64_t count(const Instance& instance, std::size_t operand) const override;
  double operation_count(const Instance& instance) const override;
  std::vector<Rate> rates(const Instance& instance) const override;
  std::string why_not(const Instance& instance) const override;
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override;
  /// The first elements of the vectors.
  std::optional<Instance> part(const Instance& instance, double share) const override;
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override;
  std::string title() const override { return title_; }

 protected:
  /// `title` is a formula: "r = x·y, float32".
  VectorOperation(std::string name, std::string title, std::vector<OperandSpec> operands,
                  std::vector<OptionSpec> options);

  /// Products that one element of the result sums up.
  virtual std::int64_t terms(const Instance&) const { return 1; }
  VectorInputs inputs(const Instance& instance, const InputValues& values) const;

 private:
  std::string name_;
  std::string title_;
  std::vector<OperandSpec> operands_;
  std::vector<OptionSpec> options_;
};

/// Which operands take part in result = scale·scaled + added, and which option is the scale.
struct ScaledSum {
  const char* scale;
  std::size_t scaled;
  std::size_t added;
  std::size_t result;
};
inline constexpr ScaledSum kAxpy = {"alpha", 0, 1, 1};
inline constexpr ScaledSum kTriad = {"scalar", 1, 0, 2};
/// The option as the float that every implementation multiplies by.
float factor(const Instance& instance, const std::string& name);

/// axpy and triad.
class ScaledSumOperation : public VectorOperation {
 public:
  /// `summary` is the option's. Its default is 1.5, so that whole numbers stay exact.
  ScaledSumOperation(std::string name, std::string title, std::vector<OperandSpec> operands,
                     const ScaledSum& sum, const char* summary);
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override;

 private:
  ScaledSum sum_;
};

/// Fills an operand that is written and never read.
void fill_with_nan(float* values, std::int64_t count);

/// GB/s first, then GFLOP/s, unless nothing is computed: what limits these operations is memory.
std::vector<Rate> memory_rates(double bytes, double flop);

}  // namespace gemmlab
