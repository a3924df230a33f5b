#pragma once

// One call of any operation on guarded host memory, checked against its reference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "core/operations.h"

namespace gemmlab::test {

/// What the vectors and the matrix with a vector compute.
inline bool of_vectors(const Description& description) {
  for (const char* name : {"dot", "axpy", "triad", "gemv"}) {
    if (description.operation == name) return true;
  }
  return false;
}

/// Every combination of the listed choices of an operation's options that is an instance of it.
inline std::vector<Options> option_choices(const Operation& operation) {
  std::vector<Options> all = {{}};
  for (const OptionSpec& option : operation.options()) {
    std::vector<Options> longer;
    for (const Options& before : all) {
      for (const OptionValue& value :
           option.choices.empty() ? std::vector<OptionValue>{option.default_value} : option.choices) {
        longer.push_back(before);
        longer.back()[option.name] = value;
      }
    }
    all = longer;
  }
  const auto refused = [&](const Options& options) {
    try {
      instance_of(operation, operation.dims_of_size(1), options);
      return false;
    } catch (const std::invalid_argument&) {
      return true;
    }
  };
  all.erase(std::remove_if(all.begin(), all.end(), refused), all.end());
  return all;
}

/// The operands of an instance in host memory, each between bands of canaries and `offset` floats past a
/// multiple of 64 bytes.
class HostOperands {
 public:
  HostOperands(const Instance& instance, std::int64_t offset) : instance_(instance) {
    for (std::size_t i = 0; i < instance.operands().size(); ++i) {
      const auto word = static_cast<std::int64_t>(sizeof(float));
      count_.push_back((instance.bytes(i) + word - 1) / word);
      memory_.emplace_back(static_cast<std::size_t>(count_[i] + 2 * kBand + kLine + offset), kCanary);
      const auto past = reinterpret_cast<std::uintptr_t>(memory_[i].data()) / sizeof(float) % kLine;
      front_.push_back(kBand + static_cast<std::int64_t>((kLine - past) % kLine) + offset);
    }
  }
  float* data(std::size_t operand) { return memory_[operand].data() + front_[operand]; }
  std::int64_t count(std::size_t operand) const { return count_[operand]; }  ///< words of 4 bytes
  std::size_t size() const { return count_.size(); }
  Operands operands() {
    std::vector<void*> at;
    for (std::size_t i = 0; i < size(); ++i) at.push_back(data(i));
    return Operands(at);
  }
  void fill(const InputValues& values, std::int64_t set) {
    for (std::size_t i = 0; i < size(); ++i) {
      instance_.operation->fill(instance_, i, values, set, data(i));
    }
  }
  /// Canaries that have changed.
  std::int64_t changed_outside() const {
    std::int64_t changed = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto inside = static_cast<std::size_t>(count_[i]);
      const auto front = static_cast<std::size_t>(front_[i]);
      for (std::size_t at = 0; at < memory_[i].size(); ++at) {
        if (at < front || at >= front + inside) changed += memory_[i][at] != kCanary;
      }
    }
    return changed;
  }

 private:
  static constexpr std::int64_t kBand = 64;
  static constexpr std::int64_t kLine = 16;
  static constexpr float kCanary = 12345.75F;
  Instance instance_;
  std::vector<std::int64_t> count_;
  std::vector<std::int64_t> front_;
  std::vector<std::vector<float>> memory_;
};

/// Runs a call on operands in host memory, wherever it computes them.
using RunOnHost = std::function<void(HostOperands&)>;

inline std::string named(const Instance& instance, const std::string& what) {
  std::string name = what;
  for (const std::int64_t dim : instance.dims) name += " " + std::to_string(dim);
  for (const auto& [option, value] : instance.options) {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      name += " " + option + "=" + std::to_string(*whole);
  }
  return name;
}

/// Exact on integers and within the bound on uniform values, for two sets of inputs; inputs stay as they were
/// and nothing outside the operands is written. `declared`: what declares less than float32 may have the larger bound.
inline void expect_right(const Instance& instance, const RunOnHost& run, std::int64_t offset,
                         const std::string& what, Precision declared = Precision::kFp32) {
  const Operation& operation = *instance.operation;
  for (const Distribution distribution : {Distribution::kInteger, Distribution::kUniform}) {
    const InputValues values{distribution, 7};
    const auto reference = operation.reference(instance, values, plain_double_product);
    for (const std::int64_t set : {std::int64_t{0}, std::int64_t{3}}) {
      HostOperands host(instance, offset);
      host.fill(values, set);
      HostOperands before(instance, offset);
      before.fill(values, set);
      run(host);
      const std::vector<Check> checks = reference->check(host.operands(), set);
      const std::string where = named(instance, what) + ", " + to_string(distribution) + ", set " +
                                std::to_string(set) + ", offset " + std::to_string(offset);
      const Verdict verdict = overall(checks);
      // exactness, which the larger bound asks for, is the other distribution's
      const bool allowed = !as_accurate_as_fp32(declared) &&
                           checks.at(0).verdict == Verdict::kReducedPrecision && checks.size() == 1;
      ASSERT_TRUE(verdict == Verdict::kOk || allowed)
          << to_string(verdict) << ": " << where << ", eta " << checks.at(0).eta_max << " at "
          << checks.at(0).worst_row << ", " << checks.at(0).worst_col;
      // whole outputs are exact whatever is drawn
      const bool exact =
          distribution == Distribution::kInteger || is_integer(instance.operands().back().type);
      ASSERT_EQ(checks.at(0).method, exact ? "exact" : "bound") << where;
      ASSERT_EQ(host.changed_outside(), 0) << where;
      for (std::size_t i = 0; i < host.size(); ++i) {
        if (instance.operands()[i].direction != Direction::kIn) continue;
        ASSERT_EQ(std::memcmp(host.data(i), before.data(i),
                              static_cast<std::size_t>(host.count(i)) * sizeof(float)),
                  0)
            << where << ": an input was written";
      }
    }
  }
}

}  // namespace gemmlab::test
