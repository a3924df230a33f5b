#pragma once

// What pools of input sets have in common on any device: how memory is taken and given back, and what the
// sets hold.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/operation.h"

namespace gemmlab {

/// One piece of memory for each operand's sets. Throws what `take` throws, having given back what it took.
class SetPools {
 public:
  using Take = std::function<void*(std::int64_t bytes)>;
  using GiveBack = std::function<void(void* memory)>;
  SetPools(const std::vector<std::int64_t>& bytes, const Take& take, GiveBack give_back);
  ~SetPools();
  SetPools(const SetPools&) = delete;
  SetPools& operator=(const SetPools&) = delete;

  char* at(std::size_t operand) const { return static_cast<char*>(pools_.at(operand)); }

 private:
  void release();

  GiveBack give_back_;
  std::vector<void*> pools_;
};

/// What the sets of an instance hold: set s as Operation::fill has it, outputs poisoned.
struct SetContents {
  Instance instance;
  InputValues values;

  std::size_t operands() const { return instance.operands().size(); }
  Direction direction(std::size_t operand) const { return instance.operands().at(operand).direction; }
  void fill(std::size_t operand, std::int64_t set, void* host_to) const {
    instance.operation->fill(instance, operand, values, set, host_to);
  }
};

}  // namespace gemmlab
