// C = A·B on the matrix unit, blocked for the caches.
//
// The change: a thread makes a block of C, by default 256×512, and walks along its terms in stretches of about 10 steps. In a stretch a
// panel of B (20 KB) stays in L1 while the block's panels of A (160 KB) pass by from L2; so a step loads two tiles from L1 and two from L2. The sums of
// the block wait in L2 as the tiles that they are, 512 KB, and go to C once, after the last stretch. Meanwhile the next panel of B and the next stretch of A
// are asked for, some lines a step, so that what comes from the third-level cache comes evenly: block rows times columns over their sum, 170
// operations a byte, which is 6 GB/s at 1 TFLOP/s. Blocks are taken in turn, and those of the last quarter are smaller: virtual cores are not alike.
//
// Limit: the unit's product every 16 cycles. L2 delivers about 48 bytes a cycle and is asked for 32 of A and, of a stretch of
// 10 steps, 13 of sums.

#include <omp.h>

#include "cpu/device/scratch.h"
#include "cpu/gemm/typed/method.h"
#include "cpu/gemm/typed/panels.h"
#include "cpu/gemm/typed/to_c.h"
#include "cpu/gemm/typed/unit_types.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

constexpr std::int64_t kMostSteps =
    24;  // of a stretch, whose panels come to 48 KB: docs/notebook/cpu_matrix.md
constexpr std::int64_t kSumsBytes = 4 * kTileBytes;

/// A part of C that one thread makes at a time.
struct Block {
  std::int64_t row0, row1;
  std::int64_t col0, col1;
};

/// C in blocks: of three quarters of the rows as large as asked for, of the rest half as high and wide, so that nobody waits long for
/// a slow core's last block. Under 128×128 the third-level cache would be asked for too much.
struct Blocks {
  struct Band {
    std::int64_t row0, row1;
    std::int64_t rows, cols;
    std::int64_t across;
    std::int64_t count;
  };
  Band bands[2];
  std::int64_t n;

  static Band band(std::int64_t row0, std::int64_t row1, std::int64_t rows, std::int64_t cols,
                   std::int64_t n) {
    const std::int64_t across = ceil_div(n, cols);
    return {row0, row1, rows, cols, across, ceil_div(row1 - row0, rows) * across};
  }
  static Blocks of(const TypedProduct& p) {
    constexpr std::int64_t kLeast = 128;
    const auto half = [](std::int64_t side) {
      return side >= 2 * kLeast ? rounded_up(side / 2, kPanel) : side;
    };
    const std::int64_t end = p.threads == 1 ? p.m : p.m * 3 / 4 / p.block_rows * p.block_rows;
    return {{band(0, end, p.block_rows, p.block_cols, p.n),
             band(end, p.m, half(p.block_rows), half(p.block_cols), p.n)},
            p.n};
  }
  std::int64_t count() const { return bands[0].count + bands[1].count; }
  Block at(std::int64_t index) const {
    const Band& band = bands[index < bands[0].count ? 0 : 1];
    if (index >= bands[0].count) index -= bands[0].count;
    const std::int64_t row = band.row0 + index / band.across * band.rows;
    const std::int64_t col = index % band.across * band.cols;
    return {row, least(row + band.rows, band.row1), col, least(col + band.cols, n)};
  }
};

/// Memory that is asked for into the second-level cache while products run, so many bytes a step.
struct Later {
  const char* next;
  std::int64_t bytes_a_step;

  GEMMLAB_TILE Later of(const char* first, std::int64_t bytes, std::int64_t steps) {
    return {first, rounded_up(ceil_div(bytes, steps > 0 ? steps : 1), kLineBytes)};
  }
  GEMMLAB_TILE void ask(Later& later) {
    for (std::int64_t line = 0; line < later.bytes_a_step; line += kLineBytes)
      __builtin_prefetch(later.next + line, 0, 2);
    later.next += later.bytes_a_step;
  }
};

/// Rows of C that sums will be written to.
struct RowsOfC {
  const char* next;
  std::int64_t stride_bytes;
  std::int64_t last_byte;  ///< of a row
  std::int64_t left;
  std::int64_t a_step;

  GEMMLAB_TILE void ask(RowsOfC& rows) {
    for (std::int64_t row = 0; row < rows.a_step && rows.left > 0; ++row, --rows.left) {
      __builtin_prefetch(rows.next, 1);
      __builtin_prefetch(rows.next + rows.last_byte, 1);
      rows.next += rows.stride_bytes;
    }
  }
};

/// Four products of a step; each tile of the next is loaded as soon as its register is free.
template <typename Unit>
GEMMLAB_TILE void multiply_and_load(const char* next_a, const char* next_b) {
  Unit::template multiply<0, 4, 6>();
  Unit::template multiply<1, 4, 7>();
  load_tile<4>(next_a);
  Unit::template multiply<2, 5, 6>();
  load_tile<6>(next_b);
  Unit::template multiply<3, 5, 7>();
  load_tile<5>(next_a + kTileBytes);
  load_tile<7>(next_b + kTileBytes);
}

/// Adds a stretch of a panel of A and one of B to tiles 0 to 3. `then_a`: the panel of A that comes after it.
template <typename Unit>
GEMMLAB_TILE void add_products(const char* a, const char* b, std::int64_t steps, const char* then_a,
                               Later later_a, Later later_b, RowsOfC rows) {
  if (steps == 0) return;
  load_tile<4>(a);
  load_tile<6>(b);
  load_tile<7>(b + kTileBytes);
  load_tile<5>(a + kTileBytes);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t next = (step + 1 < steps ? step + 1 : step) * kPanelStepBytes;
    multiply_and_load<Unit>(a + next, b + next);
    // A's step after the next, into L1
    const char* near =
        step + 2 < steps ? a + (step + 2) * kPanelStepBytes : then_a + (step + 2 - steps) * kPanelStepBytes;
    for (std::int64_t line = 0; line < kPanelStepBytes; line += kLineBytes) __builtin_prefetch(near + line);
    Later::ask(later_a);
    Later::ask(later_b);
    RowsOfC::ask(rows);
  }
}

GEMMLAB_TILE void load_sums(const char* sums) {
  load_tile<0>(sums);
  load_tile<1>(sums + kTileBytes);
  load_tile<2>(sums + 2 * kTileBytes);
  load_tile<3>(sums + 3 * kTileBytes);
}
GEMMLAB_TILE void store_sums(char* sums) {
  store_tile<0>(sums);
  store_tile<1>(sums + kTileBytes);
  store_tile<2>(sums + 2 * kTileBytes);
  store_tile<3>(sums + 3 * kTileBytes);
}
GEMMLAB_TILE void clear_sums() {
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
}

template <typename Unit>
static void multiply_block(const TypedProduct& p, const Block& block, char* sums, WriteTile* write) {
  const std::int64_t all = steps_of<typename Unit::Element>(p.k);
  const std::int64_t stretch = ceil_div(all, ceil_div(all > 0 ? all : 1, kMostSteps));
  const std::int64_t panel_bytes = all * kPanelStepBytes;
  const std::int64_t down = ceil_div(block.row1 - block.row0, kPanel);
  const std::int64_t across = ceil_div(block.col1 - block.col0, kPanel);
  const auto c_bytes =
      static_cast<std::int64_t>(p.result == ElementType::kInt32 || p.result == ElementType::kFloat32 ? 4 : 2);
  const char* panels_a = p.panels_a + block.row0 / kPanel * panel_bytes;
  const char* panels_b = p.panels_b + block.col0 / kPanel * panel_bytes;
  std::int64_t step = 0;
  do {
    const std::int64_t steps = least(stretch, all - step);
    const bool first = step == 0;
    const bool last = step + steps >= all;
    const std::int64_t bytes = steps * kPanelStepBytes;
    for (std::int64_t right = 0; right < across; ++right) {
      const char* b = panels_b + right * panel_bytes + step * kPanelStepBytes;
      // after a stretch's last panel of B comes the first of the next
      const char* next_b = right + 1 < across ? b + panel_bytes : panels_b + step * kPanelStepBytes + bytes;
      for (std::int64_t below = 0; below < down; ++below) {
        const char* a = panels_a + below * panel_bytes + step * kPanelStepBytes;
        char* tiles = first && last ? sums : sums + (right * down + below) * kSumsBytes;
        const std::int64_t row = block.row0 + below * kPanel;
        const std::int64_t col = block.col0 + right * kPanel;
        const RowsOfC rows = {p.c + (row * p.form.ldc + col) * c_bytes, p.form.ldc * c_bytes,
                              least(kPanel, p.n - col) * c_bytes - 1, last ? least(kPanel, p.m - row) : 0,
                              kPanel / (steps > 0 ? steps : 1) + 1};
        if (first) {
          clear_sums();
        } else {
          load_sums(tiles);
        }
        // each pair of panels asks for its share of what comes next
        const Later of_a =
            Later::of(a + bytes + right * ceil_div(bytes, across), last ? 0 : ceil_div(bytes, across), steps);
        const Later of_b = Later::of(next_b + below * ceil_div(bytes, down), ceil_div(bytes, down), steps);
        add_products<Unit>(a, b, steps,
                           below + 1 < down ? a + panel_bytes : panels_a + step * kPanelStepBytes, of_a, of_b,
                           rows);
        store_sums(tiles);
        if (last) write_panel(p, write, tiles, row, col);
      }
    }
    step += steps;
  } while (step < all);
}

template <typename Unit>
static int multiply_in(const TypedProduct& p) {
  WriteTile* write = writer_of(p);
  const Blocks blocks = Blocks::of(p);
  int threads = 1;
  bool no_memory = false;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    pack_both<typename Unit::Element>(p);
    auto* sums = reinterpret_cast<char*>(scratch(0, p.block_rows * p.block_cols));
    if (sums == nullptr) {
#pragma omp atomic write
      no_memory = true;
    }
    configure_tiles();
#pragma omp for schedule(dynamic) nowait
    for (std::int64_t index = 0; index < blocks.count(); ++index) {
      if (sums != nullptr) multiply_block<Unit>(p, blocks.at(index), sums, write);
    }
    release_tiles();
  }
  if (no_memory) throw_out_of_memory();
  return threads;
}

static int multiply(const TypedProduct& p) {
  return on_unit(p, [&](auto unit) { return multiply_in<decltype(unit)>(p); });
}

extern const TypedMethod tiles_blocked = {
    .id = "cpu.tiles_blocked",
    .name = "tiles, blocked",
    .summary =
        "the matrix unit on packed tiles, 2×2 at a time, blocked for L1 and L2, what comes next asked for "
        "meanwhile",
    .source = "Goto and van de Geijn, Anatomy of high-performance matrix multiplication (2008)",
    .counterpart = "gpu.mma_warp_tiled",
    .packs = true,
    .multiply = multiply};

}  // namespace GEMMLAB_MATRIX_NAMESPACE
