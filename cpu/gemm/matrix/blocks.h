#pragma once

// Which parts of C a thread makes at a time, and in which order.

#include "core/rounding.h"
#include "cpu/gemm/matrix/product.h"
#include "cpu/gemm/matrix/sums.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// A part of C that one thread makes at a time.
struct Block {
  std::int64_t row0, row1;
  std::int64_t col0, col1;
};

/// Rows of C in blocks of one size.
struct Band {
  std::int64_t row0, row1;
  std::int64_t rows, cols;
};

GEMMLAB_TILE std::int64_t blocks_of(const Band& band, std::int64_t n) {
  return ceil_div(band.row1 - band.row0, band.rows) * ceil_div(n, band.cols);
}

/// C in bands whose blocks get smaller: threads that share cores with other work are several times slower, and
/// the others shall not wait for their last block. Of fewer rows than this a block reads B more often than the
/// third-level cache can hand it out.
constexpr int kBands = 3;
constexpr std::int64_t kLeastRows = 128;
struct Bands {
  Band of[kBands];
  std::int64_t blocks;
};

GEMMLAB_TILE Bands cut_into_bands(const MatrixWork& work) {
  Bands bands = {};
  std::int64_t row = 0;
  std::int64_t rows = work.blocks.rows;
  std::int64_t cols = work.blocks.cols;
  for (int band = 0; band < kBands; ++band) {
    const bool all = band == kBands - 1 || work.threads == 1;
    const std::int64_t end = all ? work.m : row + (work.m - row) / 2 / rows * rows;
    bands.of[band] = {row, end, rows, cols};
    bands.blocks += blocks_of(bands.of[band], work.n);
    row = end;
    if (rows > kLeastRows) rows = rounded_up(rows / 2, kPanel);
    cols = rounded_up(cols / 2, kPanel);
  }
  return bands;
}

GEMMLAB_TILE Block block_at(const Bands& bands, std::int64_t index, std::int64_t n) {
  const Band* band = bands.of;
  for (; index >= blocks_of(*band, n); ++band) index -= blocks_of(*band, n);
  const std::int64_t across = ceil_div(n, band->cols);
  const std::int64_t row = band->row0 + index / across * band->rows;
  const std::int64_t col = index % across * band->cols;
  return {row, smaller(row + band->rows, band->row1), col, smaller(col + band->cols, n)};
}

/// One block of C, `at_once` steps at a time: A's block stays in the second-level cache, and panels of B pass
/// along it. The next panel of B is asked for meanwhile. `sums` adds up a panel of each.
template <typename Sums>
static void walk_block(const MatrixWork& work, const Block& block, std::int64_t at_once,
                       std::int64_t all_steps, std::int64_t panel_bytes, Sums& sums) {
  const std::int64_t bytes_ahead = rounded_up(kStepBytes / ceil_div(block.row1 - block.row0, kPanel), 64);
  for (std::int64_t step = 0; step < all_steps; step += at_once) {
    const std::int64_t steps = smaller(at_once, all_steps - step);
    for (std::int64_t col = block.col0; col < block.col1; col += kPanel) {
      const char* b = work.parts_b + col / kPanel * panel_bytes + step * kStepBytes;
      Ahead ahead = {b + panel_bytes, col + kPanel < block.col1 ? bytes_ahead : 0};
      for (std::int64_t row = block.row0; row < block.row1; row += kPanel) {
        const char* a = work.parts_a + row / kPanel * panel_bytes + step * kStepBytes;
        const std::int64_t at = row * work.n + col;
        const Place place = {work.c + at, work.left_out == nullptr ? nullptr : work.left_out + at, work.n,
                             smaller(kPanel, work.m - row), smaller(kPanel, work.n - col)};
        Sums::add(sums, a, b, steps, place, row, col, step == 0, ahead);
        ahead.first += steps * ahead.bytes_a_step;
      }
    }
  }
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
