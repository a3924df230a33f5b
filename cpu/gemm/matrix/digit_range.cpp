#include "cpu/gemm/matrix/digit_range.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gemmlab::cpu {

float scale_of_digits(std::uint32_t largest) {
  constexpr int kMostExponent = 90;  // the scale, and what undoes two of them, stays far inside the range
  constexpr int kTop = 22;
  if (largest == 0) return 1;
  const int exponent = static_cast<int>(largest >> 23) - 127;
  if (exponent > kMostExponent || exponent < -kMostExponent) return 0;
  const double whole = std::ldexp(static_cast<double>(std::bit_cast<float>(largest)), kTop - exponent);
  return std::ldexp(static_cast<float>(std::floor(16 * kLargestOfDigits / whole)), kTop - exponent - 4);
}

bool digits_hold(const DigitRange& a, const DigitRange& b, std::int64_t k) {
  constexpr std::uint32_t kMostSmall = 96;  // of a segment's 128: a quarter is small in neither
  constexpr double kLost = 2.8e6;
  constexpr double kLostInFp32 = 0.38 * 0x1p-24;
  constexpr std::int64_t kTermsInFp32 = 320;
  if (a.beyond || b.beyond || a.most_small + b.most_small > kMostSmall) return false;
  const double terms = std::sqrt(static_cast<double>(std::min(k, kTermsInFp32)));
  return double{a.least_mean} * double{b.least_mean} * kLostInFp32 * terms >= kLost;
}

}  // namespace gemmlab::cpu
