#pragma once

// A and B as integers of three balanced digits to base 256: when that is as accurate as FP32. Included by what is
// compiled for the unit: no code here that could become a symbol.
//
// A row of A or column of B is scaled so that its largest element is nearly the largest integer of three digits,
// and rounded. The unit multiplies digits exactly and sums them exactly; of the nine products of digits the three
// smallest are left out. What that loses does not go with an element's size, as it does in FP32 and in parts: per
// product of two elements the rounding, a third of a unit of the last digit of each, and 2·74²·2⁸ of such units
// at random for the products left out, 74 being the root mean square of a digit. Over K terms that is
// 2.8·10⁶·sqrt(K) at most, at random, where (|A||B|) is K times the two mean magnitudes. A library that adds up
// 320 terms at a time in FP32 loses 0.38·2⁻²⁴·sqrt(320 / K) of (|A||B|). So digits serve rows whose mean is not
// far below their largest: uniform and nonnegative data, not normal, sparse or lognormal ones. gpu.tensor decides
// likewise (gpu/gemm/tensor/digits.h), against libraries that sum longer.

#include <cstdint>
#include <limits>

namespace gemmlab::cpu {

/// The largest integer of which no digit is over 127: 0x7f7f7f.
constexpr float kLargestOfDigits = 8355711;
/// Terms over which small elements are counted: where large elements of A meet small ones of B only, means tell nothing.
constexpr std::int64_t kSegment = 128;
/// An element under this is small: under an eighth of the largest.
constexpr std::uint32_t kSmallDigits = 1U << 19;

/// Of A's rows, or B's columns, as far as they were read.
struct DigitRange {
  float least_mean = std::numeric_limits<float>::infinity();  ///< magnitude, as integers; rows of zeros aside
  std::uint32_t most_small = 0;                               ///< small elements of a segment
  bool beyond = false;  ///< a row not finite, or of a size that has no scale
};

/// What brings the largest magnitude, given by its bits, as near to kLargestOfDigits as it goes: a power of two
/// times 15 to 31, so that small integers stay as exact as they are. 1 for zero; 0 where there is none.
float scale_of_digits(std::uint32_t largest);

/// Do digits lose no more than FP32 does, over k terms?
bool digits_hold(const DigitRange& a, const DigitRange& b, std::int64_t k);

}  // namespace gemmlab::cpu
