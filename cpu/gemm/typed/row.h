#pragma once

// Rungs that multiply in the types of their operands, as rows of the table.

#include <cstdlib>
#include <memory>
#include <string>

#include "core/implementation.h"
#include "cpu/gemm/typed/method.h"
#include "operations/gemm/types.h"

namespace gemmlab::cpu {

/// Why this machine has no instructions for products of the type; empty where it has.
using MissingFor = std::string (*)(ElementType type);
std::string dots_missing(ElementType type);   ///< AVX-512 BF16 and VNNI
std::string tiles_missing(ElementType type);  ///< AMX

/// Takes bfloat16, float16 and int8 as far as the instructions exist at all, any form, any shape. Parameter: `threads`.
class TypedRow : public Implementation {
 public:
  /// `takes_float16`: is there an instruction for it on any machine?
  TypedRow(const TypedMethod& method, MissingFor missing, bool takes_float16);

  const Description& description() const override { return description_; }
  /// Of a machine that has the instructions for one type alone, such as VNNI without BF16, why_not() tells the others.
  std::string unavailable() const override {
    return missing_(ElementType::kInt8).empty() ? std::string() : missing_(ElementType::kBfloat16);
  }
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  bool meant_for(const Instance& instance) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;

 private:
  bool takes(const GemmTypes& types) const;

  const TypedMethod& method_;
  MissingFor missing_;
  bool takes_float16_;
  Description description_;
};

}  // namespace gemmlab::cpu
