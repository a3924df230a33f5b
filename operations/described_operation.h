#pragma once

// What operations with literal lists of dimensions, options and operands share. Read by .cu files: C++17
// only.

#include <string>
#include <utility>
#include <vector>

#include "core/operation.h"

namespace gemmlab {

/// An operation that states its lists once.
class DescribedOperation : public Operation {
 public:
  const std::string& name() const override { return name_; }
  const std::vector<DimensionSpec>& dimensions() const override { return dimensions_; }
  const std::vector<OptionSpec>& options() const override { return options_; }
  /// As they were stated, unless an option changes them.
  std::vector<OperandSpec> operands(const Instance&) const override { return operands_; }

  /// Accepts what the lists allow; instance_of() checks that.
  std::string why_not(const Instance&) const override { return {}; }

 protected:
  DescribedOperation(std::string name, std::vector<DimensionSpec> dimensions, std::vector<OptionSpec> options,
                     std::vector<OperandSpec> operands)
      : name_(std::move(name)),
        dimensions_(std::move(dimensions)),
        options_(std::move(options)),
        operands_(std::move(operands)) {}

 private:
  std::string name_;
  std::vector<DimensionSpec> dimensions_;
  std::vector<OptionSpec> options_;
  std::vector<OperandSpec> operands_;
};

std::int64_t integer_option(const Instance& instance, const std::string& name);
const std::string& text_option(const Instance& instance, const std::string& name);

/// Whole numbers compared with ==: one check, "exact", whose eta_max is the largest difference and whose
/// worst column is its place.
template <typename T>
Check check_exact(const T* computed, const T* expected, std::int64_t count) {
  Check check;
  check.method = "exact";
  check.verdict = Verdict::kOk;
  for (std::int64_t i = 0; i < count; ++i) {
    if (computed[i] == expected[i]) continue;
    const double apart = static_cast<double>(computed[i]) - static_cast<double>(expected[i]);
    check.verdict = Verdict::kIncorrect;
    if (check.worst_col >= 0 && (apart < 0 ? -apart : apart) <= check.eta_max) continue;
    check.eta_max = apart < 0 ? -apart : apart;
    check.worst_row = 0;
    check.worst_col = i;
  }
  return check;
}

/// Element `index` of small whole numbers, 0 to 7: their sums are exact, and a sum over other elements gives
/// another number.
inline std::int32_t small_integer(std::uint64_t seed, std::int64_t set, std::int64_t index) {
  const auto mixed =
      static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(index >> 32) * 0x85EBCA6Bu;
  const auto stream =
      static_cast<std::uint32_t>(seed * 0x9E3779B9u + static_cast<std::uint64_t>(set) * 0xC2B2AE35u);
  const std::uint32_t once = (mixed + stream) * 2654435761u;
  return static_cast<std::int32_t>(((once ^ (once >> 15)) * 0x9E3779B1u) >> 29);
}

}  // namespace gemmlab
