#pragma once

// How a product of matrices on the host streams through cards: plain arithmetic.
//
// C is cut into a grid of parts, one per card, as split.h has it. A card makes its part in blocks. In the first of these both
// operands are still to come, so A and B come in panels of k, and each panel's product is added to C as soon as the panel is
// there. One operand then stays on the card while the rest of the other passes by, block after block. The cards of a row of
// the grid need the same rows of A, and those of a column the same columns of B: each gets an equal share of these from the
// host and the rest from the others.
//
// Where the product takes longer than the links, B stays and blocks are of rows: the first half of them, each one after
// half as large as the one before, so that little of C is left to send at the end; panels grow, so that the first product
// begins early. Where the links take longer, nothing is gained by an early beginning. What counts is what is left to
// multiply when all has come: panels shrink, so that the last product of the first block is short. And what each product
// costs beside its terms, as splitting an operand into parts does, counts: A stays, which lies as it is split in one reading,
// and in its panels, whose pieces then are whole stretches of memory; blocks are of columns.
//
// Where all does not fit on a card, blocks are equal, rows pass by B, and memory of A and C goes round: three places for A,
// two for C.

#include <cstdint>
#include <vector>

#include "core/gemm/form.h"
#include "gpu/gemm/multi/split.h"

namespace gemmlab::gpu {

/// Floats from one row to the next on a card, so that each begins at a multiple of 16 bytes.
inline std::int64_t stride_on_card(std::int64_t cols) {
  return (cols + 3) / 4 * 4;
}

/// One product of every card, the load in front of it, and what both overwrite. Steps follow one another.
struct StreamStep {
  int row_block = 0;
  int col_block = 0;
  Stretch k;
  bool brings_a = false;  ///< the rows of A, as far as in `k`, come with it
  bool brings_b = false;  ///< the rows of B in `k` come with it
  bool adds = false;      ///< to what C holds
  bool completes = false;
  // Floats from the beginning of the card's memory of A, of B, where row 0 of the block would lie, and of C.
  std::int64_t a_at = 0;
  std::int64_t b_at = 0;
  std::int64_t c_at = 0;
  std::int64_t line_of_b = 0;  ///< floats from one row of B to the next, the same on all cards
  // What must be over before its memory is written: steps, or -1.
  int a_after = -1;     ///< that used the place of A
  int b_after = -1;     ///< that last read these rows of B
  int b_replaced = -1;  ///< that brought them
  int c_after = -1;     ///< whose block of C lay there
};

/// What takes longer: the product, or the way of its operands over the links from the host?
enum class Slower { kProduct, kLinks };

class StreamPlan {
 public:
  static constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

  /// `chunks` (at least 1): panels in which the first block comes. `floats`: of A, B and C that a card may hold. Throws
  /// std::invalid_argument for no cards, no chunks, or too few floats, saying how many there must be.
  StreamPlan(const Shape& shape, int cards, int chunks, std::int64_t floats, Slower slower);

  const Split& split() const { return split_; }
  const Shape& shape() const { return split_.shape(); }
  const std::vector<StreamStep>& steps() const { return steps_; }
  int row_blocks() const { return row_blocks_; }
  int col_blocks() const { return col_blocks_; }
  bool goes_round() const { return goes_round_; }  ///< is memory used again in a product?

  /// What a card multiplies in a step; may be empty.
  Stretch rows(int card, const StreamStep& step) const;
  Stretch cols(int card, const StreamStep& step) const;
  /// The rows of A in a step, and the rows of B, that a card gets from the host.
  Stretch own_of_a(int card, const StreamStep& step) const;
  Stretch own_of_b(int card, const StreamStep& step) const;

  // Does a card multiply these rows, these columns, at all, be it in a later step?
  bool needs_a(int card, const StreamStep& step) const {
    return rows(card, step).count > 0 && (goes_round_ ? cols(card, step) : split_.cols_of(card)).count > 0;
  }
  bool needs_b(int card, const StreamStep& step) const {
    return split_.rows_of(card).count > 0 && cols(card, step).count > 0;
  }

  /// How the matrices of a step's product lie.
  static GemmForm form(const Shape& product, const StreamStep& step);

  /// Floats that a card needs for each, whichever card it is.
  std::int64_t a_floats() const { return a_floats_; }
  std::int64_t b_floats() const { return b_floats_; }
  std::int64_t c_floats() const { return c_floats_; }
  /// Elements of A and B that all cards get from the host, and from each other, in a product.
  std::int64_t loaded() const;
  std::int64_t exchanged() const;

 private:
  void keep_all(int chunks, Slower slower);
  bool go_round(int chunks, std::int64_t floats);
  void make_steps();
  /// Of any card: rows of a block, of the longest block; columns of the longest block.
  std::int64_t most_rows(int block) const;
  std::int64_t longest_rows() const;
  std::int64_t most_cols(int block) const;
  std::int64_t line_of_b(int block) const { return stride_on_card(most_cols(block)); }
  std::int64_t widest_line_of_b() const;
  Stretch row_block(const Stretch& part, int which) const;
  Stretch col_block(const Stretch& part, int which) const;

  Split split_;
  int row_blocks_ = 1;
  int col_blocks_ = 1;
  bool goes_round_ = false;
  std::vector<Stretch> first_panels_;  ///< of k
  std::vector<Stretch> later_panels_;
  std::vector<StreamStep> steps_;
  std::int64_t a_floats_ = 0;
  std::int64_t b_floats_ = 0;
  std::int64_t c_floats_ = 0;
};

}  // namespace gemmlab::gpu
