#include "cpu/gemm/rungs/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// kRows × kCols elements of C at (row0, col0). All sums stay in registers until they are complete: C is
/// written once, an element of A is used for kCols products and one of B for kRows.
static void whole_tile(const Product& p, std::int64_t row0, std::int64_t col0) {
  Vector sums[kRows][kVectors] = {};
  for (std::int64_t k = 0; k < p.k; ++k) {
    Vector b_row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) b_row[v] = load(p.b + k * p.n + col0 + v * kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const float a_value = p.a[(row0 + row) * p.k + k];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[row][v] += a_value * b_row[v];
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) store(p.c + (row0 + row) * p.n + col0 + v * kLanes, sums[row][v]);
  }
}

/// What no whole tile covers at the right and lower edges, an element at a time.
static void edge(const Product& p, std::int64_t row0, std::int64_t row1, std::int64_t col0,
                 std::int64_t col1) {
  for (std::int64_t row = row0; row < row1; ++row) {
    for (std::int64_t col = col0; col < col1; ++col) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) sum += p.a[row * p.k + k] * p.b[k * p.n + col];
      p.c[row * p.n + col] = sum;
    }
  }
}

/// A tile of C in registers, and nothing else: no cache blocks, no copies. A column of tiles after another,
/// so that kCols columns of B serve all rows while they are near.
static int multiply(const Product& p) {
  int threads = 0;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const Share rows = share_of_rows(p, omp_get_thread_num(), omp_get_num_threads());
    const std::int64_t whole_rows = rows.begin + (rows.end - rows.begin) / kRows * kRows;
    const std::int64_t whole_cols = p.n / kCols * kCols;
    for (std::int64_t col = 0; col < whole_cols; col += kCols) {
      for (std::int64_t row = rows.begin; row < whole_rows; row += kRows) whole_tile(p, row, col);
    }
    edge(p, rows.begin, whole_rows, whole_cols, p.n);
    edge(p, whole_rows, rows.end, 0, p.n);
  }
  return threads;
}

extern const Method register_blocked = {
    .id = "cpu.register_blocked",
    .name = "register-blocked",
    .family = "register tiles",
    .summary = "a tile of C in registers over all of k, no copies; rows of tiles over threads",
    .source =
        "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008 (the inner kernel)",
    .counterpart = "gpu.register_tiled",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_tile_by_tile,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
