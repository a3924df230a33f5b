#pragma once

// Products of one shape and form whose matrices lie at equal distances. Read by .cu files: C++17 only.

#include <cstdint>

#include "core/gemm/form.h"

namespace gemmlab {

/// `count` products; the next one's matrices begin so many floats further on. Strides of A and B may be 0: one matrix
/// for all. No two C overlap.
struct GemmBatch {
  Shape shape;
  GemmForm form;
  std::int64_t count = 1;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
};

/// The same elements of C by fewer and larger products where there are such: with one B for all, and rows of A and C
/// that run on from product to product, all are one product of count·m rows; likewise columns, with one A.
GemmBatch merged(const GemmBatch& batch);

}  // namespace gemmlab
