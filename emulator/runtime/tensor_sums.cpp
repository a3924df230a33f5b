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

float cut_to_float(double value) {
  const auto nearest = static_cast<float>(value);
  if (std::fabs(static_cast<double>(nearest)) <= std::fabs(value)) return nearest;
  return std::nextafterf(nearest, 0);
}

float step(const float* a, const float* b, int count, float sum, int bits) {
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
  return cut_to_float(static_cast<double>(all) * power_of_two(largest - bits));
}

}  // namespace

SumWidth tensor_width(int bits, int terms) {
  constexpr int kFraction = 25, kFractionOfEight = 13;
  return {bits == 8 ? kFractionOfEight : kFraction, terms};
}

float tensor_sum(const float* a, const float* b, int count, float sum, const SumWidth& width) {
  for (int at = 0; at < count; at += width.terms)
    sum = step(a + at, b + at, std::min(width.terms, count - at), sum, width.bits);
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
