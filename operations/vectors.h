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

/// The option that axpy and triad multiply by; 1.5 unless told otherwise, so that whole numbers stay exact.
OptionSpec factor_option(const std::string& name, const std::string& summary);
/// Its value as the float that every implementation multiplies by.
float factor(const Instance& instance, const std::string& name);

/// Checks result[i] = scale·u[i] + v[i] for vectors u and v of `inputs`, made as the operands `scaled` and
/// `added`.
std::unique_ptr<OperationReference> scaled_sum_reference(const VectorInputs& inputs, float scale,
                                                         Operand scaled, Operand added,
                                                         std::size_t result_operand);

/// Fills an operand that is written and never read.
void fill_with_nan(float* values, std::int64_t count);

/// GB/s first, then GFLOP/s: what limits these operations is memory.
std::vector<Rate> memory_rates(double bytes, double flop);

}  // namespace gemmlab
