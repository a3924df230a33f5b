#pragma once

// Inputs of the calls that are checked element by element: how they are made, and what C has to be.

#include <cstdint>
#include <vector>

#include "core/inputs/inputs.h"
#include "operations/gemm/reference.h"
#include "submissions/protocol.h"

namespace gemmlab::submissions {

/// What numbers A and B hold. Of int8 all are whole, and those that are fractions elsewhere have its whole range.
enum class Kind {
  kWhole,      ///< small whole numbers, none of them 0: C is exact
  kZeros,      ///< the same, every third of them 0
  kFractions,  ///< in [-1, 1)
  kWide,  ///< fractions times powers of two from 2⁻⁴⁰ to 2⁴⁰, by row, by column and along the inner dimension
  kOneLarge,  ///< fractions, but for the first element of A (float32)
  kLargeA,    ///< fractions, those of A times kLargeA (float32)
};

inline constexpr float kLargeA = 1 << 8;
inline constexpr float kLargeElement = 1 << 30;  ///< of kOneLarge

/// How the inputs of a call were made, so that the right answer can be computed again.
struct Inputs {
  Shape shape;
  Kind kind = Kind::kWhole;
  std::uint64_t seed = 0;
  GemmTypes types = {};
  Factors factors = {};

  bool whole() const { return kind == Kind::kWhole || kind == Kind::kZeros; }
};

/// What such a C holds before a call whose beta is 0, where solve takes one: a number, since 0 times NaN is NaN, that no sum of whole
/// numbers is.
inline constexpr float kUnsetC = 0.8125F;

/// A or B, or C as it is before a call whose beta is not 0; each element is a value of its type.
std::vector<float> made(const Inputs& inputs, Operand operand);

/// alpha·A·B + beta·C in double.
std::vector<double> right_answer(const Inputs& inputs, const DoubleProduct& product);

/// The first element of A or B, row-major, that is no longer as it was made; -1 where none has changed.
std::int64_t first_change(const Inputs& inputs, Operand operand, const std::vector<float>& values);

/// Is C right? One check: exact for whole numbers, the bound of core/verification/verify.h for others.
Check check_answer(const Inputs& inputs, const float* c, const DoubleProduct& product);

}  // namespace gemmlab::submissions
