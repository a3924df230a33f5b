#pragma once

// A product that is right, for tests that look at what happens around one.

#include <cstdint>

#include "operations/gemm/shape.h"

namespace gemmlab::test {

/// C = A·B by three loops; A is m×k, B k×n, C m×n, all row-major.
inline void plain_product(const Shape& shape, const float* a, const float* b, float* c) {
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t col = 0; col < shape.n; ++col) {
      float sum = 0;
      for (std::int64_t k = 0; k < shape.k; ++k) sum += a[row * shape.k + k] * b[k * shape.n + col];
      c[row * shape.n + col] = sum;
    }
  }
}

}  // namespace gemmlab::test
