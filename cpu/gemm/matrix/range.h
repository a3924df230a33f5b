#pragma once

// Which magnitudes occur in A and B, and whether the matrix unit holds their products. Included by what is
// compiled for the unit: no code here that could become a symbol.

#include <cstdint>

namespace gemmlab::cpu {

/// The bits of the largest magnitude, and of the smallest one that is not zero less 1. As unsigned integers,
/// bits of magnitudes are ordered as the magnitudes are, with Inf and NaN on top.
struct Range {
  std::uint32_t most = 0;
  std::uint32_t least_less_1 = 0xffffffffU;  ///< of zeros alone
};

/// Powers of two that A and B are multiplied by before they are split.
struct Scales {
  int a = 0;
  int b = 0;
};

/// Can both be split, and every product of parts be summed over k terms, without an Inf, and without losing
/// what the unit takes for zero? Ranges are those of A and B as they are, before scaling.
bool holds(const Range& a, const Range& b, const Scales& scales, std::int64_t k);

/// Scales with which they hold. False where there are none: not finite, or too wide a span.
bool find_scales(const Range& a, const Range& b, std::int64_t k, Scales* scales);

}  // namespace gemmlab::cpu
