#pragma once

// The dimensions of a product, and what follows from them alone.

#include <cstdint>

namespace gemmlab {

/// The three dimensions of C = A·B as in BLAS: A is m×k, B is k×n, C is m×n; k is the inner dimension.
struct Shape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  /// Floating-point operations of the product: a multiplication and an addition for each term.
  double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }

  /// Elements of each matrix.
  std::int64_t a_count() const { return m * k; }
  std::int64_t b_count() const { return k * n; }
  std::int64_t c_count() const { return m * n; }

  /// The fewest bytes that must move: A and B read once, C written once.
  double least_bytes() const {
    return sizeof(float) * (static_cast<double>(a_count()) + b_count() + c_count());
  }

  /// Do all rows of A, B and C start at multiples of 16 bytes when the matrices themselves do?
  bool rows_at_16_bytes() const { return k % 4 == 0 && n % 4 == 0; }

  bool operator==(const Shape& other) const { return m == other.m && n == other.n && k == other.k; }
  bool operator!=(const Shape& other) const { return !(*this == other); }
};

}  // namespace gemmlab
