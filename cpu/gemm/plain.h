#pragma once

// Rows of gemm that consist of one function for each isa: most of the ladder.

#include <string>
#include <vector>

#include "cpu/device/variants.h"
#include "cpu/gemm/method.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::cpu {

/// An implementation made of one source file, compiled once for each isa. Parameters: `isa` (those that this
/// machine has; the widest unless said otherwise), and `threads` and `block` where the method takes them.
class PlainImplementation : public GemmImplementation {
 public:
  /// `variants` in rising order, baseline first.
  explicit PlainImplementation(const std::vector<Variant<Method>>& variants);

  const Description& description() const override { return description_; }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override;
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override;
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override;

 private:
  Variants<Method> variants_;
  Description description_;
};

/// Why the shape has no product; empty where it has one.
std::string why_not_shape(const Shape& shape);

}  // namespace gemmlab::cpu
