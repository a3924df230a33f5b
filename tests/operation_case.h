#pragma once

// One instance of an operation with its operands in host memory, for tests that call implementations
// directly.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/operation.h"

namespace gemmlab {

class OperationCase {
 public:
  /// `product`: what the operation's reference needs, if it does.
  explicit OperationCase(Instance instance, const DoubleProduct& product = {},
                         Distribution distribution = Distribution::kUniform)
      : instance_(std::move(instance)), values_{distribution} {
    const Operation& operation = *instance_.operation;
    reference_ = operation.reference(instance_, values_, product);
    for (std::size_t i = 0; i < instance_.operands().size(); ++i) {
      memory_.emplace_back(static_cast<std::size_t>(bytes(i)));
    }
  }

  const Instance& instance() const { return instance_; }
  std::size_t size() const { return memory_.size(); }
  std::int64_t bytes(std::size_t operand) const { return instance_.bytes(operand); }
  char* data(std::size_t operand) { return memory_[operand].data(); }

  /// Inputs of a set as the operation has them; outputs are filled with what no result may be.
  void fill(std::int64_t set) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i].assign(memory_[i].size(), '\x5A');
      instance_.operation->fill(instance_, i, values_, set, memory_[i].data());
    }
  }
  Operands operands() {
    std::vector<void*> at;
    for (auto& memory : memory_) at.push_back(memory.data());
    return Operands(at);
  }
  std::vector<Check> checks(std::int64_t set) { return reference_->check(operands(), set); }
  Verdict verdict(std::int64_t set) { return overall(checks(set)); }

 private:
  Instance instance_;
  InputValues values_;
  std::unique_ptr<OperationReference> reference_;
  std::vector<std::vector<char>> memory_;
};

}  // namespace gemmlab
