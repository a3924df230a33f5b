#include "cpu/packed/slice.h"

#include "cpu/packed/tile.h"
#include "cpu/scratch.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

GEMMLAB_INLINE std::int64_t smaller(std::int64_t x, std::int64_t y) {
  return x < y ? x : y;
}

/// Equal steps of at most `most` instead of whole ones and a rest, in multiples of `unit`.
GEMMLAB_INLINE std::int64_t even_step(std::int64_t extent, std::int64_t most, std::int64_t unit) {
  const std::int64_t steps = (extent + most - 1) / most;
  return ((extent + steps - 1) / steps + unit - 1) / unit * unit;
}

/// Row panels of equal height, give or take one: 16 rows are 6, 5 and 5, and no panel is much lower than the
/// tile, whose sums hide the latency of the multiply-adds.
struct Panels {
  std::int64_t rows;
  std::int64_t count;
  explicit Panels(std::int64_t all) : rows(all), count((all + kTileRows - 1) / kTileRows) {}
  int height(std::int64_t panel) const {
    return static_cast<int>(rows / count + (panel < rows % count ? 1 : 0));
  }
};

/// A block of B, as multiply_tile wants it: packed panels, or columns in place and one packed panel for what
/// is beyond the last whole tile.
struct BlockOfB {
  const float* whole;
  std::int64_t whole_stride;  ///< between rows
  std::int64_t whole_step;    ///< between tiles
  const float* rest;
  std::int64_t cols;
};

/// Asks the memory for a row panel of A, a part at a time.
class Ahead {
 public:
  /// rows may be 0. In `parts` calls of ask() all of it will have been asked for.
  Ahead(const float* a, std::int64_t stride, std::int64_t rows, std::int64_t depth, std::int64_t parts)
      : a_(a),
        stride_(stride),
        depth_(depth),
        rows_left_(rows),
        a_call_((rows * depth + parts - 1) / parts + kLineFloats) {}
  __attribute__((always_inline)) void ask() {
    for (std::int64_t asked = 0; asked < a_call_ && rows_left_ > 0; asked += kLineFloats) {
      __builtin_prefetch(a_ + k_);
      k_ += kLineFloats;
      if (k_ < depth_ + kLineFloats - 1) continue;
      k_ = 0;
      a_ += stride_;
      --rows_left_;
    }
  }

 private:
  static constexpr std::int64_t kLineFloats = 16;
  const float* a_;
  std::int64_t stride_;
  std::int64_t depth_;
  std::int64_t rows_left_;
  std::int64_t a_call_;
  std::int64_t k_ = 0;
};

/// The row panel times a block of B: walks along the rows of C.
static void multiply_panel(int rows, const float* a, std::int64_t a_stride, const BlockOfB& b, float* c,
                           std::int64_t c_stride, std::int64_t depth, bool add, Ahead ahead) {
  const std::int64_t whole_tiles = b.cols / kTileCols;
  TileWork work{a, a_stride, b.whole, b.whole_stride, c, c_stride, depth, kTileCols, add};
  for (std::int64_t tile = 0; tile < whole_tiles; ++tile) {
    ahead.ask();
    multiply_tile(rows, work);
    work.b += b.whole_step;
    work.c += kTileCols;
  }
  if (b.cols % kTileCols == 0) return;
  work.b = b.rest;
  work.cols = b.cols % kTileCols;
  work.b_stride = panel_stride(work.cols);
  multiply_tile(rows, work);
}

/// Rows of A, in place or copied: the element at (row0, k0) and the floats between rows.
struct BlockOfA {
  const float* first;
  std::int64_t stride;
  std::int64_t rows;
};

/// C, at the block's first element, = or += the product of two blocks.
static void multiply_blocks(const BlockOfA& a, const BlockOfB& b, float* c, std::int64_t c_stride,
                            std::int64_t depth, bool add) {
  const Panels panels(a.rows);
  const std::int64_t tiles = b.cols / kTileCols + 1;
  // rows that share their cache sets: with those of the next panel there are more than the sets have ways
  const bool shared_sets = a.stride % kSetPeriodFloats == 0;
  const bool far = a.rows * depth > kNearFloats && !shared_sets;
  const float* a_panel = a.first;
  for (std::int64_t panel = 0; panel < panels.count; ++panel) {
    const int rows = panels.height(panel);
    const int next_rows = far && panel + 1 < panels.count ? panels.height(panel + 1) : 0;
    const Ahead ahead(a_panel + rows * a.stride, a.stride, next_rows, depth, tiles);
    multiply_panel(rows, a_panel, a.stride, b, c, c_stride, depth, add, ahead);
    a_panel += rows * a.stride;
    c += rows * c_stride;
  }
}

bool multiply_packed(const Problem& p, const Slice& s) {
  const std::int64_t mc = even_step(s.row1 - s.row0, p.plan.mc, kTileRows);
  const std::int64_t nc = even_step(s.col1 - s.col0, p.plan.nc, kTileCols);
  const std::int64_t kc = even_step(s.k1 - s.k0, p.plan.kc, 8);
  // a panel of A that meets one block of B only is as well read in place
  const bool copy_a = s.col1 - s.col0 > nc;
  float* b_copy = scratch(0, kc * nc);
  float* a_copy = copy_a ? scratch(1, mc * (kc + kCopyPad)) : nullptr;
  if (b_copy == nullptr || (copy_a && a_copy == nullptr)) return false;
  for (std::int64_t row = s.row0; row < s.row1; row += mc) {
    const std::int64_t rows = smaller(mc, s.row1 - row);
    for (std::int64_t k = s.k0; k < s.k1; k += kc) {
      const std::int64_t depth = smaller(kc, s.k1 - k);
      BlockOfA a{p.a + row * p.k + k, p.k, rows};
      if (copy_a) {
        copy_rows(a.first, p.k, rows, depth, a_copy, depth + kCopyPad);
        a = {a_copy, depth + kCopyPad, rows};
      }
      for (std::int64_t col = s.col0; col < s.col1; col += nc) {
        const std::int64_t cols = smaller(nc, s.col1 - col);
        pack_b({p.b + k * p.n + col, p.n, depth, cols, b_copy}, 0, depth, kAheadRows);
        const BlockOfB b{b_copy, kTileCols, kTileCols * depth, b_copy + cols / kTileCols * kTileCols * depth,
                         cols};
        float* c = s.c + (row - s.row0) * s.c_stride + (col - s.col0);
        multiply_blocks(a, b, c, s.c_stride, depth, k > s.k0);
      }
    }
  }
  return true;
}

/// B in place, and a copy of the columns beyond the last whole tile, if there are any.
static BlockOfB b_in_place(const Problem& p, std::int64_t col0, std::int64_t cols, std::int64_t k,
                           std::int64_t depth, float* rest) {
  const float* b = p.b + k * p.n + col0;
  const std::int64_t whole = cols / kTileCols * kTileCols;
  if (whole < cols) pack_b({b + whole, p.n, depth, cols - whole, rest}, 0, depth, kAheadRows);
  return {b, p.n, kTileCols, rest, cols};
}

bool multiply_direct(const Problem& p, const Slice& s) {
  const std::int64_t kc = even_step(s.k1 - s.k0, p.plan.kc, 8);
  float* rest = scratch(0, kc * kTileCols);
  if (rest == nullptr) return false;
  for (std::int64_t k = s.k0; k < s.k1; k += kc) {
    const std::int64_t depth = smaller(kc, s.k1 - k);
    const BlockOfA a{p.a + s.row0 * p.k + k, p.k, s.row1 - s.row0};
    multiply_blocks(a, b_in_place(p, s.col0, s.col1 - s.col0, k, depth, rest), s.c, s.c_stride, depth,
                    k > s.k0);
  }
  return true;
}

/// The block of B that comes after another: at its right, or the first of the next terms. Empty after the
/// last.
struct BlocksOfB {
  const Problem& p;
  const Slice& s;
  std::int64_t kc;
  std::int64_t nc;
  float* copies;  ///< room for two

  CopyOfB at(std::int64_t k, std::int64_t col, std::int64_t number) const {
    return {p.b + k * p.n + col, p.n, smaller(kc, s.k1 - k), smaller(nc, s.col1 - col),
            copies + number % 2 * kc * nc};
  }
  CopyOfB after(std::int64_t k, std::int64_t col, std::int64_t number) const {
    if (col + nc < s.col1) return at(k, col + nc, number + 1);
    return k + kc < s.k1 ? at(k + kc, s.col0, number + 1) : CopyOfB{};
  }
};

/// A's rows of the slice times a copied block of B; after each tile a part of the next block is copied, so
/// that the memory has work while the core multiplies.
static void multiply_and_copy(const Problem& p, const Slice& s, std::int64_t k, const CopyOfB& block,
                              float* c, const CopyOfB& next) {
  const Panels panels(s.row1 - s.row0);
  const std::int64_t tiles = (block.cols + kTileCols - 1) / kTileCols * panels.count;
  const std::int64_t rows_a_tile = (next.depth + tiles - 1) / tiles;
  std::int64_t copied = 0;
  for (std::int64_t col = 0; col < block.cols; col += kTileCols) {
    const std::int64_t width = smaller(kTileCols, block.cols - col);
    const float* a = p.a + s.row0 * p.k + k;
    float* c_tile = c + col;
    for (std::int64_t panel = 0; panel < panels.count; ++panel) {
      const std::int64_t end = smaller(copied + rows_a_tile, next.depth);
      if (copied < end) pack_b(next, copied, end, rows_a_tile);
      copied = end;
      const int rows = panels.height(panel);
      multiply_tile(rows, {a, p.k, block.to + col * block.depth, panel_stride(width), c_tile, s.c_stride,
                           block.depth, width, k > s.k0});
      a += rows * p.k;
      c_tile += rows * s.c_stride;
    }
  }
}

bool multiply_few_rows(const Problem& p, const Slice& s) {
  const std::int64_t kc = even_step(s.k1 - s.k0, p.plan.kc, 8);
  const std::int64_t nc = even_step(s.col1 - s.col0, p.plan.nc, kTileCols);
  const BlocksOfB blocks{p, s, kc, nc, scratch(0, 2 * kc * nc)};
  if (blocks.copies == nullptr) return false;
  CopyOfB block = blocks.at(s.k0, s.col0, 0);
  pack_b(block, 0, block.depth, kAheadRows);
  std::int64_t number = 0;
  for (std::int64_t k = s.k0; k < s.k1; k += kc) {
    for (std::int64_t col = s.col0; col < s.col1; col += nc, ++number) {
      const CopyOfB next = blocks.after(k, col, number);
      multiply_and_copy(p, s, k, block, s.c + (col - s.col0), next);
      block = next;
    }
  }
  return true;
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
