#pragma once

// The three inner loops of cpu.prefetched and of the rungs behind it: those of cpu.five_loops, with C asked for.

#include "cpu/gemm/rungs/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Terms k0 to k0 + depth and columns col0 to col_end of B, and where their copy lies.
struct BlockOfB {
  std::int64_t k0;
  std::int64_t depth;
  std::int64_t col0;
  std::int64_t col_end;
  float* copy;
};

/// The panel of the columns from `col` on.
GEMMLAB_INLINE float* panel_of(const BlockOfB& b, std::int64_t col) {
  return b.copy + (col - b.col0) * b.depth;
}

GEMMLAB_INLINE void copy_panel(const Product& p, const BlockOfB& b, std::int64_t col) {
  copy_b(p.b + b.k0 * p.n + tile_start(col, kCols, p.n), p.n, b.depth, panel_of(b, col));
}

/// A thread's rows by a copied block of B; a_block takes kBlockRows × kDepth floats.
GEMMLAB_INLINE void multiply_block(const Product& p, Share rows, const BlockOfB& b, float* a_block,
                                   bool add) {
  for (std::int64_t row0 = rows.begin; row0 < rows.end; row0 += kBlockRows) {
    const std::int64_t row_end = smaller(row0 + kBlockRows, rows.end);
    for (std::int64_t row = row0; row < row_end; row += kRows) {
      copy_a(p.a + tile_start(row, kRows, p.m) * p.k + b.k0, p.k, b.depth, a_block + (row - row0) * b.depth);
    }
    for (std::int64_t col = b.col0; col < b.col_end; col += kCols) {
      for (std::int64_t row = row0; row < row_end; row += kRows) {
        ask_for_c(p, row, col);
        cover(p, row, col, {a_block + (row - row0) * b.depth, 1, kRows, panel_of(b, col), kCols, b.depth},
              add);
      }
    }
  }
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
