#pragma once

// Lets the suite run and check a GPU implementation as if it were one for the CPU.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/implementation.h"

namespace gemmlab::emulation {

/// A row of the GPU's table, run on a CPU by the emulator: its operands lie in host memory, so it says that its device is
/// the CPU. Each call copies them into allocations of their exact sizes, named as the operation names them, and back.
/// Whatever the emulator finds is thrown. No time of it means anything.
class EmulatedRow : public Implementation {
 public:
  explicit EmulatedRow(const Implementation& row) : row_(row), description_(row.description()) {
    description_.device = Device::kCpu;
  }
  const Description& description() const override { return description_; }
  Precision precision(const Instance& instance) const override;
  bool meant_for(const Instance& instance) const override;
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;
  /// See counted_call.h.
  std::string counted(const Instance& instance, const Parameters& parameters, std::uint64_t blocks) const;

 private:
  const Implementation& row_;
  Description description_;
};

}  // namespace gemmlab::emulation
