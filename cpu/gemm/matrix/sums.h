#pragma once

// Sums of products of parts on the matrix unit, 32×32 elements of C at a time.

#include "cpu/gemm/matrix/parts.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

GEMMLAB_TILE std::int64_t smaller(std::int64_t x, std::int64_t y) {
  return x < y ? x : y;
}

GEMMLAB_TILE float power_of_two(int exponent) {
  const std::uint32_t bits = static_cast<std::uint32_t>(exponent + 127) << 23;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Undoes the scales: two factors that both lead the same way, as one might leave the range.
struct Unscale {
  float first;
  float second;
};
GEMMLAB_TILE Unscale undo(const Scales& scales) {
  const int exponent = -(scales.a + scales.b);
  return {power_of_two(exponent / 2), power_of_two(exponent - exponent / 2)};
}

/// Up to 32×32 elements of C, and what rounding left out of them so far: nullptr where nobody keeps it.
struct Place {
  float* c;
  float* left_out;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t cols;
};

/// Asks the memory for C, to be there when the sums are: its rows lie on a page each.
void ask_for(const Place& place);

/// C = A·B of `steps` steps of a panel of A and one of B, or += unless `first`. `careful`: by eight products
/// instead of six, the small ones before hi·hi, whose 16 bits then meet a small sum: where few terms are not
/// zero, nearly each rounding would show. In a thread whose tiles are configured.
void sum_panels(const char* a, const char* b, std::int64_t steps, bool careful, const Unscale& unscale,
                const Place& place, bool first);

}  // namespace GEMMLAB_MATRIX_NAMESPACE
