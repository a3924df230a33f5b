#include "cpu/gemm/packed/slice.h"

#include "core/rounding.h"
#include "cpu/device/scratch.h"
#include "cpu/gemm/packed/copies.h"
#include "cpu/gemm/packed/strips.h"
#include "cpu/gemm/packed/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

GEMMLAB_INLINE std::int64_t smaller(std::int64_t x, std::int64_t y) {
  return x < y ? x : y;
}

/// Equal steps of at most `most` instead of whole ones and a rest, in multiples of `unit`.
GEMMLAB_INLINE std::int64_t even_step(std::int64_t extent, std::int64_t most, std::int64_t unit) {
  const std::int64_t steps = ceil_div(extent, most);
  return rounded_up(ceil_div(extent, steps), unit);
}

/// Floats between the copied rows of A.
GEMMLAB_INLINE std::int64_t copied_stride(std::int64_t depth) {
  return depth + kCopyPad;
}

/// Row panels of equal height, give or take one: 16 rows are 6, 5 and 5, and no panel is much lower than the
/// tile, whose sums hide the latency of the multiply-adds.
struct Panels {
  std::int64_t rows;
  std::int64_t count;
  Panels(std::int64_t all, std::int64_t most) : rows(all), count(ceil_div(all, most)) {}
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
  float* keep;  ///< where the first row panel leaves packed panels for those below it, or nullptr
  std::int64_t ahead;
};

/// The row panel of A that comes after the one in use: asks the memory for it, a part at a time, and copies what has
/// come by then, if it is to be copied; into L2, since L1 is full of the panel in use.
class NextPanel {
 public:
  /// rows may be 0. In `parts` calls of step() all of it will have been asked for.
  NextPanel(const float* a, std::int64_t stride, std::int64_t rows, std::int64_t depth, std::int64_t parts)
      : a_(a),
        stride_(stride),
        depth_(depth),
        rows_(rows),
        call_(ceil_div(rows * depth, parts) + kLineFloats) {}
  void copy_to(float* copy, std::int64_t stride) {
    copy_ = copy;
    copy_stride_ = stride;
  }
  __attribute__((always_inline)) void step() {
    if (copy_ != nullptr) copy_up_to(asked_);
    for (std::int64_t asked = 0; asked < call_ && asked_ < rows_; asked += kLineFloats) {
      __builtin_prefetch(a_ + asked_ * stride_ + k_, 0, 2);
      k_ += kLineFloats;
      if (k_ < depth_ + kLineFloats - 1) continue;
      k_ = 0;
      ++asked_;
    }
  }
  /// What step() has left of the copy.
  void finish() {
    if (copy_ != nullptr) copy_up_to(rows_);
  }

 private:
  void copy_up_to(std::int64_t row) {
    if (row == copied_) return;
    copy_rows(a_ + copied_ * stride_, stride_, row - copied_, depth_, copy_ + copied_ * copy_stride_,
              copy_stride_);
    copied_ = row;
  }
  const float* a_;
  std::int64_t stride_;
  std::int64_t depth_;
  std::int64_t rows_;
  std::int64_t call_;
  std::int64_t k_ = 0;
  std::int64_t asked_ = 0;
  std::int64_t copied_ = 0;
  float* copy_ = nullptr;
  std::int64_t copy_stride_ = 0;
};

/// The row panel times a block of B: walks along the rows of C.
static void multiply_panel(int rows, const float* a, std::int64_t a_stride, const BlockOfB& b, float* c,
                           std::int64_t c_stride, std::int64_t depth, bool add, NextPanel& next) {
  const std::int64_t whole_tiles = b.cols / kTileCols;
  TileWork work{a, a_stride, b.whole, b.whole_stride, b.keep, b.ahead,
                c, c_stride, depth,   kTileCols,      add,    depth <= kTermsOfFarC};
  const bool packed = b.keep == nullptr && b.whole_stride == kTileCols;
  std::int64_t tile = 0;
  for (; work.far_c && packed && rows <= kPairRows && tile + 2 <= whole_tiles; tile += 2) {
    next.step();
    next.step();
    multiply_pair(rows, work);
    work.b += 2 * b.whole_step;
    work.c += 2 * kTileCols;
  }
  for (; tile < whole_tiles; ++tile) {
    next.step();
    multiply_tile(rows, work);
    work.b += b.whole_step;
    work.c += kTileCols;
    if (b.keep != nullptr) work.keep += kTileCols * depth;
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
  float* copy;      ///< where each panel is copied before it is used, or nullptr
  bool copy_stays;  ///< each panel at its own place, for later blocks of B; otherwise at two by turns
};

/// C, at the block's first element, = beta·C + the product of two blocks. `most_rows` per tile.
static void multiply_blocks(const BlockOfA& a, BlockOfB b, std::int64_t most_rows, float* c,
                            std::int64_t c_stride, std::int64_t depth, float beta) {
  const Panels panels(a.rows, most_rows);
  const std::int64_t tiles = b.cols / kTileCols + (a.copy == nullptr || b.cols < kTileCols ? 1 : 0);
  const std::int64_t copy_stride = copied_stride(depth);
  const bool copied = a.copy != nullptr;
  const bool far = a.rows * depth > kNearFloats && (copied || !share_sets(a.stride));
  const float* in_place = a.first;
  float* copy = a.copy;
  if (copied) copy_rows(in_place, a.stride, panels.height(0), depth, copy, copy_stride);
  for (std::int64_t panel = 0; panel < panels.count; ++panel) {
    const int rows = panels.height(panel);
    const int next_rows = (far || copied) && panel + 1 < panels.count ? panels.height(panel + 1) : 0;
    NextPanel next(in_place + rows * a.stride, a.stride, next_rows, depth, tiles);
    float* next_copy =
        a.copy_stays ? copy + rows * copy_stride : a.copy + (panel + 1) % 2 * most_rows * copy_stride;
    if (copied) next.copy_to(next_copy, copy_stride);
    // a row panel of C at a time, so that the tiles find it near
    if (beta != 0 && beta != 1) scale_rows(c, c_stride, rows, b.cols, beta, c, c_stride);
    multiply_panel(rows, copied ? copy : in_place, copied ? copy_stride : a.stride, b, c, c_stride, depth,
                   beta != 0, next);
    next.finish();
    if (b.keep != nullptr) b = {b.keep, kTileCols, kTileCols * depth, b.rest, b.cols, nullptr, 0};
    if (copied) copy = next_copy;
    in_place += rows * a.stride;
    c += rows * c_stride;
  }
}

/// What C is multiplied by before the terms from k on are added.
GEMMLAB_INLINE float beta_at(const Slice& s, std::int64_t k) {
  return k > s.k0 ? 1 : s.beta;
}

/// B in place, and a copy of the columns beyond the last whole tile, if there are any. With `keep` the first
/// row panel leaves packed panels there.
static BlockOfB b_in_place(const Product& p, std::int64_t col0, std::int64_t cols, std::int64_t k,
                           std::int64_t depth, float* rest, float* keep) {
  const std::int64_t stride = p.form.ldb;
  const float* b = p.b + k * stride + col0;
  const std::int64_t whole = cols / kTileCols * kTileCols;
  if (whole < cols) pack_narrow(b + whole, stride, depth, cols - whole, rest);
  return {b, stride, kTileCols, rest, cols, keep, keep == nullptr ? 0 : kAheadRowsOfTile * stride};
}

/// A block of B for multiply_packed: packed by the first row panel, or here where B is transposed.
static BlockOfB packed_b(const Product& p, std::int64_t col, std::int64_t cols, std::int64_t k,
                         std::int64_t depth, float* copy) {
  float* rest = copy + cols / kTileCols * kTileCols * depth;
  if (!p.form.transpose_b) return b_in_place(p, col, cols, k, depth, rest, copy);
  pack_transposed_b(p, col, cols, k, depth, copy);
  return {copy, kTileCols, kTileCols * depth, rest, cols, nullptr, 0};
}

bool multiply_packed(const Product& p, const Slice& s) {
  const std::int64_t mc = even_step(s.row1 - s.row0, p.plan.mc, kTileRows);
  const std::int64_t nc = even_step(s.col1 - s.col0, p.plan.nc, kTileCols);
  const std::int64_t kc = even_step(s.k1 - s.k0, p.plan.kc, 8);
  // read in place, A costs no copy; rows that throw each other out of L1, or lie on too many pages, cost more
  const bool several_blocks = s.col1 - s.col0 > nc;
  const bool too_high = share_sets(p.form.lda) && p.plan.mr > kLowTileRows;
  const bool whole_copy = copies_all_of_a(p);
  const bool panel_copies =
      !whole_copy && (too_high || (several_blocks && s.row1 - s.row0 > kMostRowsInPlace));
  const bool copy_stays = panel_copies && several_blocks;
  const bool copied = whole_copy || panel_copies;
  float* b_copy = scratch(0, kc * nc);
  float* a_copy =
      copied ? scratch(1, (copy_stays || whole_copy ? mc : 2 * kTileRows) * copied_stride(kc)) : nullptr;
  if (b_copy == nullptr || (copied && a_copy == nullptr)) return false;
  for (std::int64_t row = s.row0; row < s.row1; row += mc) {
    const std::int64_t rows = smaller(mc, s.row1 - row);
    for (std::int64_t k = s.k0; k < s.k1; k += kc) {
      const std::int64_t depth = smaller(kc, s.k1 - k);
      BlockOfA a{p.a + row * p.form.lda + k, p.form.lda, rows, a_copy, copy_stays};
      if (whole_copy) {
        copy_a(p, row, rows, k, depth, a_copy, copied_stride(depth));
        a = {a_copy, copied_stride(depth), rows, nullptr, false};
      }
      for (std::int64_t col = s.col0; col < s.col1; col += nc) {
        const std::int64_t cols = smaller(nc, s.col1 - col);
        float* c = s.c + (row - s.row0) * s.c_stride + (col - s.col0);
        multiply_blocks(a, packed_b(p, col, cols, k, depth, b_copy), p.plan.mr, c, s.c_stride, depth,
                        beta_at(s, k));
        if (copy_stays) a = {a_copy, copied_stride(depth), rows, nullptr, false};
      }
    }
  }
  return true;
}

bool multiply_direct(const Product& p, const Slice& s) {
  if (takes_strips(p, s)) {
    multiply_strips(p, s);
    return true;
  }
  const std::int64_t kc = even_step(s.k1 - s.k0, p.plan.kc, 8);
  float* rest = scratch(0, kc * kTileCols);
  if (rest == nullptr) return false;
  for (std::int64_t k = s.k0; k < s.k1; k += kc) {
    const std::int64_t depth = smaller(kc, s.k1 - k);
    const BlockOfA a{p.a + s.row0 * p.form.lda + k, p.form.lda, s.row1 - s.row0, nullptr, false};
    multiply_blocks(a, b_in_place(p, s.col0, s.col1 - s.col0, k, depth, rest, nullptr), p.plan.mr, s.c,
                    s.c_stride, depth, beta_at(s, k));
  }
  return true;
}

bool multiply_few_rows(const Product& p, const Slice& s) {
  const std::int64_t kc = even_step(s.k1 - s.k0, p.plan.kc, 8);
  const std::int64_t cols = s.col1 - s.col0;
  const Panels panels(s.row1 - s.row0, p.plan.mr);
  float* rest = scratch(0, kc * kTileCols);
  // few terms at a time come back to C often: where its rows share cache sets, its tiles are made elsewhere
  const bool apart = share_sets(s.c_stride);
  float* sums = apart ? scratch(1, panels.rows * (cols + kTileCols)) : nullptr;
  float* a_copy = copies_all_of_a(p) ? scratch(3, panels.rows * copied_stride(kc)) : nullptr;
  if (rest == nullptr || (apart && sums == nullptr) || (copies_all_of_a(p) && a_copy == nullptr))
    return false;
  for (std::int64_t col = 0; s.beta != 0 && col < cols; col += kTileCols) {
    float* c = s.c + col;
    scale_rows(c, s.c_stride, panels.rows, smaller(kTileCols, cols - col), s.beta,
               apart ? sums + col * panels.rows : c, apart ? kTileCols : s.c_stride);
  }
  for (std::int64_t k = s.k0; k < s.k1; k += kc) {
    const std::int64_t depth = smaller(kc, s.k1 - k);
    const BlockOfB b = b_in_place(p, s.col0, cols, k, depth, rest, nullptr);
    if (a_copy != nullptr) copy_a(p, s.row0, panels.rows, k, depth, a_copy, copied_stride(depth));
    for (std::int64_t col = 0; col < cols; col += kTileCols) {
      const std::int64_t width = smaller(kTileCols, cols - col);
      const bool whole = width == kTileCols;
      // of the next tile: at the right, or the first of the next terms
      const bool last = cols - col < 2 * kTileCols;
      TileWork work{};
      work.a = a_copy != nullptr ? a_copy : p.a + s.row0 * p.form.lda + k;
      work.a_stride = a_copy != nullptr ? copied_stride(depth) : p.form.lda;
      work.b = whole ? b.whole + col : b.rest;
      work.b_stride = whole ? b.whole_stride : panel_stride(width);
      work.ahead = last ? depth * p.form.ldb - col : kTileCols;
      work.c = apart ? sums + col * panels.rows : s.c + col;
      work.c_stride = apart ? kTileCols : s.c_stride;
      work.depth = depth;
      work.cols = width;
      work.add = beta_at(s, k) != 0;
      for (std::int64_t panel = 0; panel < panels.count; ++panel) {
        const int rows = panels.height(panel);
        multiply_tile(rows, work);
        work.ahead = 0;  // the first panel of rows has asked
        work.a += rows * work.a_stride;
        work.c += rows * work.c_stride;
      }
    }
  }
  for (std::int64_t col = 0; apart && col < cols; col += kTileCols) {
    copy_rows(sums + col * panels.rows, kTileCols, panels.rows, smaller(kTileCols, cols - col), s.c + col,
              s.c_stride);
  }
  return true;
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
