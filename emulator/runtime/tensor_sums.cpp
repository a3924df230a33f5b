#include "emulator/runtime/tensor_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gemmlab::emulation {
namespace {

constexpr int kMost = 64;  ///< terms of a step

int exponent_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<int>(bits >> 23 & 255);
}

double power_of_two(int exponent) {
  const auto bits = static_cast<std::uint64_t>(exponent + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr int kFractionOfFloat = 23;

/// Towards zero, to `bits` of a float's fraction.
float cut(double value, int bits) {
  const auto nearest = static_cast<float>(value);
  const float cut =
      std::fabs(static_cast<double>(nearest)) <= std::fabs(value) ? nearest : std::nextafterf(nearest, 0);
  std::uint32_t kept;
  std::memcpy(&kept, &cut, sizeof kept);
  kept &= ~0u << (kFractionOfFloat - bits);
  float result;
  std::memcpy(&result, &kept, sizeof result);
  return result;
}

float step(const float* a, const float* b, int count, float sum, const SumWidth& width) {
  const int bits = width.bits;
  double products[kMost];
  int exponents[kMost];
  bool finite = exponent_of(sum) != 255;
  for (int i = 0; i < count; ++i) {
    const int ea = exponent_of(a[i]);
    const int eb = exponent_of(b[i]);
    finite = finite && ea != 255 && eb != 255;
    products[i] = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    exponents[i] = ea == 0 || eb == 0 ? -1000 : ea + eb - 254;
  }
  if (!finite) {
    double all = sum;
    for (int i = 0; i < count; ++i) all += products[i];
    return static_cast<float>(all);
  }
  int largest = exponent_of(sum) == 0 ? -1000 : exponent_of(sum) - 127;
  for (int i = 0; i < count; ++i) largest = std::max(largest, exponents[i]);
  if (largest == -1000) return sum;
  const double scale = power_of_two(bits - largest);
  std::int64_t all = static_cast<std::int64_t>(static_cast<double>(sum) * scale);
  for (int i = 0; i < count; ++i) all += static_cast<std::int32_t>(products[i] * scale);
  return cut(static_cast<double>(all) * power_of_two(largest - bits), width.kept);
}

/// What of a row lies at places 0 and 1, or at 2 and 3, of every four.
int every_other_pair(float* to, const float* from, int count, int first) {
  int found = 0;
  for (int at = first; at < count; at += 4) {
    to[found++] = from[at];
    to[found++] = from[at + 1];
  }
  return found;
}

constexpr int kFraction = 25, kFractionOfEight = 13;

}  // namespace

SumWidth sum_of_warp(int bits, int terms) {
  return {kFraction, terms, kFractionOfFloat, bits == 8};
}

SumWidth sum_of_warpgroup(int bits, int terms) {
  if (bits == 8) return {kFractionOfEight, terms, kFractionOfEight, false};
  return {kFraction, terms, kFractionOfFloat, false};
}

float tensor_sum(const float* a, const float* b, int count, float sum, const SumWidth& width) {
  for (int at = 0; at < count; at += width.terms) {
    const int terms = std::min(width.terms, count - at);
    if (!width.by_pairs) {
      sum = step(a + at, b + at, terms, sum, width);
      continue;
    }
    float own = 0;
    for (int first = 0; first < 4; first += 2) {
      float left[kMost];
      float right[kMost];
      every_other_pair(left, a + at, terms, first);
      own = step(left, right, every_other_pair(right, b + at, terms, first), own, width);
    }
    sum += own;
  }
  return sum;
}

void tensor_sums(float* d, const float* a, const float* b, int rows, int columns, int count,
                 const SumWidth& width) {
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < columns; ++col)
      d[row * columns + col] =
          tensor_sum(a + row * count, b + col * count, count, d[row * columns + col], width);
  }
}

}  // namespace gemmlab::emulation
