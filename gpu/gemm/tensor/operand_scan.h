#pragma once

// What the kernels of gpu.tensor tell one another through device memory. The host never waits for it:
// every kernel is launched in every multiply, reads the findings first, and returns at once where it is
// not its turn.

#include <cuda_runtime.h>

#include <cstdint>

namespace gemmlab::gpu::parts {

/// How a product is computed: from three 8-bit digits in six products, FP16 pairs in three, BF16 triples in
/// eight, or in plain FP32.
enum class Arithmetic { kDigits, kHalf, kBfloat, kPlain };

enum Operand { kOperandA = 0, kOperandB = 1 };

/// Filled by the scan and the split, all zero before. Several may be joined by the larger of each number.
struct Findings {
  unsigned not_finite;     ///< is there an Inf or a NaN?
  unsigned beyond_bfloat;  ///< has a row of A or a column of B a spread that BF16 triples do not hold?
  unsigned lossy[2];  ///< elements of this operand with a relative error over 2⁻²² as FP16 pairs: told()
  unsigned small_share[2];   ///< most small elements in a segment of a row of A, of a column of B; in 1/1000
  unsigned small_digits[2];  ///< most elements of kSegmentOfDigits that are small as digits
  unsigned lack_of_size[2];  ///< by how much the least mean magnitude of a row as digits falls short of 2²³
};

/// Balanced digits of an integer.
constexpr int kDigits = 3;
/// Elements of K over which small elements of digits are counted.
constexpr int kSegmentOfDigits = 128;
/// An element of digits under this is small: under an eighth of the largest.
constexpr int kSmallDigits = 1 << 19;
/// What the mean magnitude of a row as digits falls short of.
constexpr float kWholeSize = 0x1p23f;
/// Of kSegmentOfDigits: so many small elements, A's and B's added, leave a quarter with none in either.
constexpr unsigned kMostSmallDigits = 96;

/// Do digits hold, as a product of K terms? What rounding to digits and the three products left out lose is
/// 2.1e6·sqrt(K) in random sums; a library's loop in FP32 loses 0.4·2⁻²⁴ of (|A||B|), which is K times the
/// two means where magnitudes do not depend on one another. Where they do, the count of small elements keeps
/// the worst case below that of such a loop.
__host__ __device__ inline bool digits_hold(const Findings& found, int K) {
  if (found.not_finite) return false;
  if (found.small_digits[kOperandA] + found.small_digits[kOperandB] > kMostSmallDigits) return false;
  const float size_of_a = kWholeSize - static_cast<float>(found.lack_of_size[kOperandA]);
  const float size_of_b = kWholeSize - static_cast<float>(found.lack_of_size[kOperandB]);
  const float least = 2.1e6f * 16777216.0f / 0.4f;
  return size_of_a * size_of_a * size_of_b * size_of_b * static_cast<float>(K) >= least * least;
}

/// Elements of K over which small elements are counted.
constexpr int kSegment = 64;
/// Largest magnitude of a scaled row of A or column of B: in [2¹⁴, 2¹⁵), so that FP16 does not overflow.
constexpr int kTopExponent = 14;
/// A pair's lo is what hi leaves of an element, times 2¹²: then it leaves FP16's normal range only for an element under
/// kLossy, which is at most 2⁻²⁹ of the largest in its row of A or column of B.
constexpr float kRaisedLow = 0x1p12f;
/// A scaled element under this may lose over 2⁻²² of itself; all of them lose at most 2⁻³⁷, absolute.
constexpr float kLossy = 0x1p-15f;
/// A scaled element under this is small: under 2⁻¹⁵ of the largest.
constexpr float kSmall = 0.5f;
/// Scaled nonzero elements of BF16 triples are at least this, so that no part and no product leaves
/// the normal range.
constexpr float kLeastBfloat = 0x1p-40f;
/// So many small elements (1/1000, A's and B's added) leave a quarter of each segment with none in either.
constexpr unsigned kMostSmall = 750;
constexpr unsigned kShareUnit = 1000;  // of Findings::small_share
/// Of K, for each lossy element of both operands: where a quarter of each segment has no small element, all lossy ones then
/// lose 2⁻³⁷·2¹⁵·K / 16 at most, and (|A||B|) is K / 16 at least: 2⁻²² of it.
constexpr unsigned kTermsOfLossy = 16;
/// Of terms that are not small in either operand: over so many, the last bits of products, which pairs do not hold, average
/// out.
constexpr float kLeastTerms = 48;

/// How many lossy elements a block tells of: no sum of all blocks passes 2³².
__device__ inline unsigned told(unsigned lossy) {
  return min(lossy, 1u << 14);
}

/// Do FP16 pairs hold, for K terms? Either small elements, zeros among them, are so few that whatever the signs lossy ones
/// do not count; or there are zeros, but none is lossy, and so many terms are left as a rule that they are summed well. Sparse
/// data do not pass.
__host__ __device__ inline bool pairs_hold(const Findings& found, int K) {
  const unsigned lossy = found.lossy[kOperandA] + found.lossy[kOperandB];
  const unsigned small_a = found.small_share[kOperandA];
  const unsigned small_b = found.small_share[kOperandB];
  if (small_a + small_b <= kMostSmall && lossy <= static_cast<unsigned>(K) / kTermsOfLossy) return true;
  if (lossy > 0 || small_a >= kShareUnit || small_b >= kShareUnit) return false;
  return static_cast<float>(kShareUnit - small_a) * static_cast<float>(kShareUnit - small_b) *
             static_cast<float>(K) >=
         kLeastTerms * kShareUnit * kShareUnit;
}

__host__ __device__ inline Arithmetic arithmetic_for(const Findings& found, bool half_allowed, int K) {
  if (found.not_finite) return Arithmetic::kPlain;
  if (half_allowed && pairs_hold(found, K)) return Arithmetic::kHalf;
  return found.beyond_bfloat ? Arithmetic::kPlain : Arithmetic::kBfloat;
}

/// Likewise where the first split has looked at the data; `first` is what it writes, digits or FP16 pairs.
__host__ __device__ inline Arithmetic arithmetic_after(const Findings& found, Arithmetic first, int K) {
  if (first == Arithmetic::kDigits && digits_hold(found, K)) return Arithmetic::kDigits;
  return arithmetic_for(found, true, K);
}

/// The power of two that brings the largest magnitude, given by its bits, into [2¹⁴, 2¹⁵). 0 for a
/// row of zeros.
__device__ inline int scale_of(unsigned largest_bits) {
  if (largest_bits == 0) return 0;
  constexpr int kMantissaBits = 23;
  constexpr int kBias = 127;
  const int field = static_cast<int>(largest_bits >> kMantissaBits);
  // below the normal range the highest bit that is set tells the exponent
  const int exponent = field > 0 ? field - kBias : 31 - __clz(static_cast<int>(largest_bits)) - (kBias + 22);
  return kTopExponent - exponent;
}

/// 2^exponent, which lies in the normal range.
__device__ inline float power_of_two(int exponent) {
  return __uint_as_float(static_cast<unsigned>(exponent + 127) << 23);
}

/// value·2^exponent for |value| from 2⁻⁸⁰ to 2⁶⁴ (or zero) and any exponent that two scales add up to: in
/// three factors, since a single one would itself leave the range.
__device__ inline float scaled(float value, int exponent) {
  const int first = min(max(exponent, -64), 64);
  const int second = min(max(exponent - first, -126), 127);
  const int third = min(max(exponent - first - second, -126), 127);
  return value * power_of_two(first) * power_of_two(second) * power_of_two(third);
}

}  // namespace gemmlab::gpu::parts
