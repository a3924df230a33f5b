#pragma once

// Kernels of call.h as rows of the table.

#include "core/implementation.h"
#include "cpu/call.h"
#include "cpu/device/variants.h"

namespace gemmlab::cpu {

/// An implementation made of one source file, compiled once for each isa. Parameters: `isa` (those that this
/// machine has; the widest unless said otherwise) and `threads` where the kernel takes them.
class CallImplementation : public Implementation {
 public:
  /// `variants` in rising order, baseline first.
  CallImplementation(const Operation& operation, const std::vector<Variant<CallMethod>>& variants);

  const Description& description() const override { return description_; }
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  /// What the operation itself must move: these kernels read and write everything once.
  double moved_bytes(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;

 private:
  Variants<CallMethod> variants_;
  Description description_;
};

// In an operation's methods.cpp: its kernels, as compiled for every isa, as rows.
#define GEMMLAB_DECLARE(name) extern const CallMethod name;
#define GEMMLAB_CALL_ROW(operation, name)                                              \
  const Implementation& name() {                                                       \
    static const CallImplementation row(gemmlab::operation(), GEMMLAB_VARIANTS(name)); \
    return row;                                                                        \
  }

}  // namespace gemmlab::cpu
