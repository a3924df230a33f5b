#include "cpu/gemm/rungs/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// cpu.register_edges with a panel of B copied: its kCols columns, one row behind another, before the tiles of
/// those columns read them. In place each row of B lies on a page of its own from 1,024 columns on, and where
/// rows are a power of two apart, in the same few sets of the cache.
static bool multiply_rows(const Product& p, Share rows) {
  float* b_panel = scratch(0, p.k * kCols);
  if (b_panel == nullptr) return false;
  for (std::int64_t col = 0; col < p.n; col += kCols) {
    copy_b(p.b + tile_start(col, kCols, p.n), p.n, p.k, b_panel);
    for (std::int64_t row = rows.begin; row < rows.end; row += kRows) {
      const float* a = p.a + tile_start(row, kRows, p.m) * p.k;
      cover(p, row, col, {a, p.k, 1, b_panel, kCols, p.k}, false);
    }
  }
  return true;
}

static int multiply(const Product& p) {
  return rows_over_threads(p, multiply_rows);
}

extern const Method packed_b = {
    .id = "cpu.packed_b",
    .name = "B packed",
    .family = "register tiles",
    .summary = "cpu.register_edges with the columns of B that a column of tiles reads copied together first",
    .source = "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008 (packing)",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_tile_by_tile,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
