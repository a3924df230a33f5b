#include "cpu/gemm/rungs/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// cpu.packed_b with A copied, too: each thread puts its rows into panels once, before the first tile. A tile then
/// reads A as one stream instead of kRows, and no two of its rows compete for a set of the cache.
static bool multiply_rows(const Product& p, Share rows) {
  const std::int64_t a_size = kRows * p.k;  // of a panel
  const std::int64_t panels = ceil_div(rows.end - rows.begin, kRows);
  float* b_panel = scratch(0, p.k * kCols);
  float* a_panels = scratch(1, panels * a_size);
  if (b_panel == nullptr || a_panels == nullptr) return false;
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    const std::int64_t row = rows.begin + panel * kRows;
    copy_a(p.a + tile_start(row, kRows, p.m) * p.k, p.k, p.k, a_panels + panel * a_size);
  }
  for (std::int64_t col = 0; col < p.n; col += kCols) {
    copy_b(p.b + tile_start(col, kCols, p.n), p.n, p.k, b_panel);
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      cover(p, rows.begin + panel * kRows, col, {a_panels + panel * a_size, 1, kRows, b_panel, kCols, p.k},
            false);
    }
  }
  return true;
}

static int multiply(const Product& p) {
  return rows_over_threads(p, multiply_rows);
}

extern const Method packed_a = {
    .id = "cpu.packed_a",
    .name = "A packed, too",
    .family = "register tiles",
    .summary = "cpu.packed_b with A copied, too: the rows of a tile term by term, once before all tiles",
    .source = "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008 (packing)",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_tile_by_tile,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
