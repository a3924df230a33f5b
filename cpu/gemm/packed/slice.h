#pragma once

// What one thread of cpu.packed computes by itself.

#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Half-open ranges of rows and columns of C and of terms, and where their product goes: c is the element at
/// (row0, col0) of an array whose rows are c_stride apart.
struct Slice {
  std::int64_t row0, row1;
  std::int64_t col0, col1;
  std::int64_t k0, k1;
  float* c;
  std::int64_t c_stride;
  float beta;  ///< what C is multiplied by before the product is added; with 0 it is not read
};

// Each is false, with C in no defined state, where memory for copies lacks.

/// With blocks of B in packed panels that stay in this core's L2: the first row panel reads B where it lies
/// and leaves them behind.
bool multiply_packed(const Product& p, const Slice& s);

/// With A and B where they lie, but for columns beyond the last whole tile. Row panels outside, so that a
/// panel of A stays in L1.
bool multiply_direct(const Product& p, const Slice& s);

/// For few rows, where reading B bounds the speed: nothing of it is copied, and each tile asks for what the
/// next one will read.
bool multiply_few_rows(const Product& p, const Slice& s);

}  // namespace GEMMLAB_KERNEL_NAMESPACE
