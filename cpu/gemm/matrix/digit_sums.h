#pragma once

// Sums of products of digits on the matrix unit, 32×32 elements of C at a time.

#include "cpu/gemm/matrix/product.h"
#include "cpu/gemm/matrix/sums.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// What undoes the scales of the rows and columns of a place.
struct Undo {
  const double* rows;
  const double* cols;
};

/// Integer sums of three weights, 2³², 2²⁴ and 2¹⁶, on their way to C.
struct PendingDigits {
  alignas(64) std::int32_t sums[kDigits][kPanel * kPanel];
  void (*write)(const PendingDigits& pending, std::int64_t begin, std::int64_t end);  ///< so many rows
  Place place;
  Undo undo;
  std::int64_t row;   ///< the next one to write
  std::int64_t rows;  ///< 0: nothing is pending
};

/// C = A·B of `steps` steps of 64 terms of a panel of A and one of B, or += unless `first`. Exact up to 2¹⁵ terms at a
/// time, but for the three products that are left out, and rounded once.
void sum_digits(const char* a, const char* b, std::int64_t steps, const Undo& undo, const Place& place,
                bool first, const Ahead& ahead, PendingDigits* pending);

/// Writes what is pending.
void finish(PendingDigits* pending);

}  // namespace GEMMLAB_MATRIX_NAMESPACE
