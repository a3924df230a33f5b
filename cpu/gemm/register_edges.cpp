#include "cpu/gemm/rungs/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// cpu.register_blocked with register tiles up to the edges: the last tile of a row or column is moved back so that it
/// lies inside the matrix, and of it only what is not covered yet is kept. cpu.register_blocked computes that one
/// element at a time: of 1000 columns 8, less than 1 % of the work, at a fortieth of the speed.
static bool multiply_rows(const Product& p, Share rows) {
  for (std::int64_t col = 0; col < p.n; col += kCols) {
    const float* b = p.b + tile_start(col, kCols, p.n);
    for (std::int64_t row = rows.begin; row < rows.end; row += kRows) {
      const float* a = p.a + tile_start(row, kRows, p.m) * p.k;
      cover(p, row, col, {a, p.k, 1, b, p.n, p.k}, false);
    }
  }
  return true;
}

static int multiply(const Product& p) {
  return rows_over_threads(p, multiply_rows);
}

extern const Method register_edges = {
    .id = "cpu.register_edges",
    .name = "register tiles at edges",
    .family = "register tiles",
    .summary =
        "cpu.register_blocked with register tiles up to the edges, the last moved back to lie inside; rows "
        "of tiles over threads",
    .source =
        "Heinecke, Henry, Hutchinson and Pabst, LIBXSMM, 2016 (edges by the kernel, not by a scalar loop)",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_tile_by_tile,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
