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

/// Sums on their way to C. They are written while the unit makes the next ones: by themselves they would take
/// a fifth of the time.
struct Pending {
  alignas(64) float sums[kPanel * kPanel];                                      ///< four tiles
  void (*write)(const Pending& pending, std::int64_t begin, std::int64_t end);  ///< so many rows
  Place place;
  Unscale unscale;
  std::int64_t row;   ///< the next one to write
  std::int64_t rows;  ///< 0: nothing is pending
};

/// What else is asked of the memory meanwhile, into the second-level cache: so many bytes a step.
struct Ahead {
  const char* first;
  std::int64_t bytes_a_step;
};

/// C = A·B of `steps` steps of a panel of A and one of B, or += unless `first`. In a thread whose tiles are
/// configured. Writes what is pending, and leaves its own sums so.
void sum_panels(const char* a, const char* b, std::int64_t steps, PartProducts products,
                const Unscale& unscale, const Place& place, bool first, const Ahead& ahead, Pending* pending);

/// Writes what is pending.
void finish(Pending* pending);

}  // namespace GEMMLAB_MATRIX_NAMESPACE
