#pragma once

// How cpu.packed brings what lies otherwise than its tiles read it into their form:
// alpha·op(A), op(B), beta·C.

#include "cpu/device/simd.h"
#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Alpha goes into A's copy: the tiles know nothing of it.
GEMMLAB_INLINE bool copies_all_of_a(const Product& p) {
  return p.form.transpose_a || p.form.alpha != 1;
}

/// alpha·op(A), `rows` by `depth` from (row, k) on, into rows `stride` floats apart.
void copy_a(const Product& p, std::int64_t row, std::int64_t rows, std::int64_t k, std::int64_t depth,
            float* to, std::int64_t stride);

/// The transpose of B, `depth` by `cols` from (k, col) on: a panel of kTileCols columns behind another, the
/// last one of panel_stride(cols % kTileCols), filled up with zeros.
void pack_transposed_b(const Product& p, std::int64_t col, std::int64_t cols, std::int64_t k,
                       std::int64_t depth, float* to);

/// to = factor·from, rows of `width` floats; the two may be one.
void scale_rows(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t width,
                float factor, float* to, std::int64_t to_stride);

}  // namespace GEMMLAB_KERNEL_NAMESPACE
