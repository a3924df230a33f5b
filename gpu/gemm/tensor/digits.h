#pragma once

// Operands as integers of three balanced digits to base 256.
//
// A row of A or column of B is scaled by a power of two, so that its largest element is as large an integer as
// three digits hold (2²¹ at least), and rounded. The tensor core multiplies digits exactly and sums them in 32
// bits, so there is no rounding until the end; of the nine products of digits the three smallest are left out.
// What that loses does not depend on an element's size, as it does in FP32 and in parts: per product of two
// elements, rounding half a unit of the last digit of each, and the products left out 2·74²·2⁸ of such units
// at random, 74 being the root mean square of a digit. Over K terms that is 2.1·10⁶·sqrt(K) at random, where
// (|A||B|) is K times the two mean magnitudes: for uniform data 8·2⁻²⁴/sqrt(K) of it (measured: 0.27 units of
// 2⁻²⁴ at K = 1024, 0.14 at 4096, root mean square), where a loop in FP32 has 0.4 at any K. So digits serve
// rows whose mean is not far below their largest, and long K; operand_scan.h decides. Normal data do not pass,
// whose largest is 4 times their deviation, nor sparse data and data of a wide span.
// Small integers are exact, and inputs of one sign gain most: nothing drifts.

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/gemm/tensor/operand_scan.h"

namespace gemmlab::gpu::parts {

/// The digits as parts: all of A's first digits, then the second, then the third.
struct DigitTriples {
  static constexpr int kParts = kDigits;
};

/// The largest integer of which the first digit is not over 127: 0x7f7f7f.
constexpr float kLargestOfDigits = 8355711;

/// The power of two that brings the largest magnitude, given by its bits, as near to kLargestOfDigits as
/// it goes. 0 for a row of zeros.
__device__ inline int scale_of_digits(unsigned largest_bits) {
  constexpr unsigned kMantissa = 0x7fffffu;
  constexpr unsigned kMostMantissa =
      0x7efefeu;  // of kLargestOfDigits = 2²²·1.1111111011111101111111 in binary
  const int exponent = scale_of(largest_bits) - kTopExponent;  // largest·2^exponent lies in [1, 2)
  if (largest_bits == 0) return 0;
  const bool denormal = largest_bits <= kMantissa;  // too rare to look at its leading bits
  return exponent + (denormal || (largest_bits & kMantissa) > kMostMantissa ? 21 : 22);
}

/// The digits of x = d0·2¹⁶ + d1·2⁸ + d2, |x| <= 0x7f7f7f, each from -128 to 127, in three bytes.
__device__ inline std::uint32_t digits_of(int x) {
  // adding 128 to each digit leaves none negative; taking it away again flips a byte's highest bit
  return static_cast<std::uint32_t>(x + 0x808080) ^ 0x808080u;
}

/// The sum of all products of digits from the sums by weight, 2³², 2²⁴ and 2¹⁶, without the scales of its row
/// and column: rounded once, and where it is denormal or overflows, as it should.
__device__ inline float sum_of_digits(int first, int second, int third, int scale) {
  const long long sum = static_cast<long long>(first) * 65536 + static_cast<long long>(second) * 256 + third;
  const float rounded = __ll2float_rn(sum);
  const int exponent = 16 - scale;
  if (exponent >= -126 && exponent <= 127) return rounded * power_of_two(exponent);
  return scaled(rounded, exponent);
}

}  // namespace gemmlab::gpu::parts
