#include "cpu/gemm/matrix/range.h"

#include <algorithm>
#include <bit>

namespace gemmlab::cpu {
namespace {

// A triple's last bit is 2⁻²³ of its element, and a part must be normal: from 2⁻¹⁰³ on. Of two elements whose
// product is from 2⁻⁹⁰ on, what is lost below the normal range is under 2⁻³⁶ of it.
constexpr int kLeastElement = -100;
constexpr int kLeastProduct = -90;
// Rounded up to 8 bits an element may double.
constexpr int kMostElement = 125;
constexpr int kMostSum = 125;
constexpr int kMostScale = 126;  // that is itself normal, as is its inverse

constexpr std::uint32_t kInfinity = 0x7f800000U;

/// Of a magnitude that is not zero: floor(log2).
int exponent_of(std::uint32_t bits) {
  constexpr int kMantissaBits = 23;
  constexpr int kBias = 127;
  if (bits >> kMantissaBits != 0) return static_cast<int>(bits >> kMantissaBits) - kBias;
  return static_cast<int>(std::bit_width(bits)) - 1 - kBias - (kMantissaBits - 1);
}

int least(const Range& range) {
  return exponent_of(range.least_less_1 + 1);
}
int most(const Range& range) {
  return exponent_of(range.most);
}
int bits_of(std::int64_t k) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(k)));
}

}  // namespace

bool holds(const Range& a, const Range& b, const Scales& scales, std::int64_t k) {
  if (a.most >= kInfinity || b.most >= kInfinity) return false;
  if (a.most != 0 && (least(a) + scales.a < kLeastElement || most(a) + scales.a > kMostElement)) return false;
  if (b.most != 0 && (least(b) + scales.b < kLeastElement || most(b) + scales.b > kMostElement)) return false;
  if (a.most == 0 || b.most == 0) return true;
  const int scale = scales.a + scales.b;
  return least(a) + least(b) + scale >= kLeastProduct &&
         most(a) + most(b) + scale + 2 + bits_of(k) <= kMostSum;
}

PartProducts part_products(const Range& a, double of_a, const Range& b, double of_b, std::int64_t k) {
  constexpr double kTerms = 64;       // of which what is left out averages to a tenth of what FP32 rounds
  constexpr double kDense = 2.0 / 3;  // 704 terms of one sign: plain FP32 rounds more from 0.64 on
  const double share = static_cast<double>(a.not_zero) / of_a * (static_cast<double>(b.not_zero) / of_b);
  if (share * static_cast<double>(k) < kTerms) return PartProducts::kEight;
  return share < kDense ? PartProducts::kSixInOrder : PartProducts::kSix;
}

bool find_scales(const Range& a, const Range& b, std::int64_t k, Scales* scales) {
  if (a.most >= kInfinity || b.most >= kInfinity) return false;
  // the middle of each range to 1: the one choice that leaves both ends the most room
  const auto centre = [](const Range& range) {
    return range.most == 0 ? 0 : std::clamp(-(least(range) + most(range)) / 2, -kMostScale, kMostScale);
  };
  *scales = {centre(a), centre(b)};
  return holds(a, b, *scales, k);
}

}  // namespace gemmlab::cpu
