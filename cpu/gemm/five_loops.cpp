#include "cpu/gemm/rungs/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// cpu.blocked_k with blocks for the next caches, too: a block of A, kBlockRows × kDepth, stays in L2 while it meets a block
/// of B, kDepth × kBlockCols, which is copied as a whole beforehand and stays in L3. Five loops stand around the
/// tile.
static bool multiply_rows(const Product& p, Share rows) {
  float* b_block = scratch(0, kDepth * kBlockCols);
  float* a_block = scratch(1, kBlockRows * kDepth);
  if (b_block == nullptr || a_block == nullptr) return false;
  for (std::int64_t col0 = 0; col0 < p.n; col0 += kBlockCols) {
    const std::int64_t col_end = smaller(col0 + kBlockCols, p.n);
    for (std::int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
      const std::int64_t depth = smaller(kDepth, p.k - k0);
      for (std::int64_t col = col0; col < col_end; col += kCols) {
        copy_b(p.b + k0 * p.n + tile_start(col, kCols, p.n), p.n, depth, b_block + (col - col0) * depth);
      }
      for (std::int64_t row0 = rows.begin; row0 < rows.end; row0 += kBlockRows) {
        const Share block{row0, smaller(row0 + kBlockRows, rows.end)};
        for (std::int64_t row = block.begin; row < block.end; row += kRows) {
          copy_a(p.a + tile_start(row, kRows, p.m) * p.k + k0, p.k, depth, a_block + (row - row0) * depth);
        }
        for (std::int64_t col = col0; col < col_end; col += kCols) {
          for (std::int64_t row = block.begin; row < block.end; row += kRows) {
            cover(p, row, col,
                  {a_block + (row - row0) * depth, 1, kRows, b_block + (col - col0) * depth, kCols, depth},
                  k0 > 0);
          }
        }
      }
    }
  }
  return true;
}

static int multiply(const Product& p) {
  return rows_over_threads(p, multiply_rows);
}

extern const Method five_loops = {
    .id = "cpu.five_loops",
    .name = "five loops",
    .family = "overlapped",
    .summary =
        "cpu.blocked_k with blocks of rows that stay in L2 and of columns that stay in L3: five loops around "
        "the tile",
    .source =
        "Van Zee and van de Geijn, BLIS: A Framework for Rapidly Instantiating BLAS Functionality, 2015",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_by_blocks_of_k,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
