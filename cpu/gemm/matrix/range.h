#pragma once

// Which magnitudes occur in A and B, and how the matrix unit is to multiply them. Included by what is
// compiled for the unit: no code here that could become a symbol.

#include <cstdint>

namespace gemmlab::cpu {

/// Of the elements looked at: the bits of the largest magnitude, those of the smallest one that is not zero
/// less 1, and how many are not zero. As unsigned integers, bits of magnitudes are ordered as the
/// magnitudes are, with Inf and NaN on top.
struct Range {
  std::uint32_t most = 0;
  std::uint32_t least_less_1 = 0xffffffffU;  ///< of zeros alone
  std::int64_t not_zero = 0;
};

/// Powers of two that A and B are multiplied by before they are split.
struct Scales {
  int a = 0;
  int b = 0;
};

/// Can both be split, and every product of parts be summed over k terms, without an Inf, and without losing
/// what the unit takes for zero? Ranges are those of A and B as they are, before scaling.
bool holds(const Range& a, const Range& b, const Scales& scales, std::int64_t k);

/// Which products of parts are added up, and when.
enum class PartProducts {
  kSix,  ///< step by step, all into one sum: fewest loads
  kSixInOrder,  ///< the five small ones of all steps first: where zeros leave plain FP32 few roundings, theirs would show
  kEight,  ///< likewise, and those too that six leave out: where sums are so short that they would show
};

/// By how many terms of a sum are not zero. `of_a` and `of_b` elements have been looked at.
PartProducts part_products(const Range& a, double of_a, const Range& b, double of_b, std::int64_t k);

/// Scales with which they hold. False where there are none: not finite, or too wide a span.
bool find_scales(const Range& a, const Range& b, std::int64_t k, Scales* scales);

}  // namespace gemmlab::cpu
