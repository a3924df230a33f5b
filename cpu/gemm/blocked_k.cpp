#include "cpu/gemm/rungs/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// cpu.packed_a with the terms in blocks of kDepth, so that a panel of B stays in the nearest cache while all rows use
/// it. The price: C is read and written once per block.
static bool multiply_rows(const Product& p, Share rows) {
  const std::int64_t panels = ceil_div(rows.end - rows.begin, kRows);
  float* b_panel = scratch(0, kDepth * kCols);
  float* a_panels = scratch(1, panels * kRows * kDepth);
  if (b_panel == nullptr || a_panels == nullptr) return false;
  for (std::int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
    const std::int64_t depth = smaller(kDepth, p.k - k0);
    const std::int64_t a_size = kRows * depth;
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      const std::int64_t row = rows.begin + panel * kRows;
      copy_a(p.a + tile_start(row, kRows, p.m) * p.k + k0, p.k, depth, a_panels + panel * a_size);
    }
    for (std::int64_t col = 0; col < p.n; col += kCols) {
      copy_b(p.b + k0 * p.n + tile_start(col, kCols, p.n), p.n, depth, b_panel);
      for (std::int64_t panel = 0; panel < panels; ++panel) {
        cover(p, rows.begin + panel * kRows, col,
              {a_panels + panel * a_size, 1, kRows, b_panel, kCols, depth}, k0 > 0);
      }
    }
  }
  return true;
}

static int multiply(const Product& p) {
  return rows_over_threads(p, multiply_rows);
}

extern const Method blocked_k = {
    .id = "cpu.blocked_k",
    .name = "k in blocks",
    .family = "overlapped",
    .summary = "cpu.packed_a with k in blocks, so that a panel of B stays in the nearest cache",
    .source = "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008 (kc)",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_by_blocks_of_k,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
