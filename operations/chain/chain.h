#pragma once

// The operation chain: arithmetic in which each step waits for the one before.

#include "operations/described_operation.h"

namespace gemmlab {

const Operation& chain();

namespace chaining {

enum Place : std::size_t { kFirst, kLast };  ///< of the operands

/// x becomes kFactor·x + kAddend modulo 2³², a full period (Numerical Recipes, "quick and dirty generators").
inline constexpr std::uint32_t kFactor = 1664525;
inline constexpr std::uint32_t kAddend = 1013904223;

}  // namespace chaining
}  // namespace gemmlab
