#pragma once

// How a product of matrices on the host streams through cards: plain arithmetic.
//
// C is cut into a grid of parts, one per card, as split.h has it. A card makes its part by blocks of columns: the columns of B that
// belong to one stay on the card while rows of A pass by, a block of rows after the other. In the first of these B itself is
// still to come, so B comes in panels of k, and each panel's product is added to C as soon as the panel is there. The cards
// of a row of the grid need the same rows of A, and those of a column the same columns of B: each gets an equal share of these
// from the host and the rest from the others.
//
// Where all fits on a card, each block of rows is half as large as the one before, so that little of C is left to send at the
// end. Where the product takes longer than the links, panels grow, and A comes in the same panels, so that the first product
// begins early. Where the links take longer, what counts is what is left to multiply when all has come: panels shrink, so that the
// last product of the first block is short, and A comes in longer parts of k, since each row of a part costs its copy 0.09 µs (two
// H100s).
//
// Where all does not fit, blocks are equal, and memory of A and C goes round: three places for A, two for C.

#include <cstdint>
#include <vector>

#include "gpu/gemm/multi/split.h"
#include "operations/gemm/form.h"

namespace gemmlab::gpu {

/// One product of every card, the load in front of it, and what both overwrite. Steps follow one another.
struct StreamStep {
  int row_block = 0;
  int col_block = 0;
  Stretch k;
  Stretch k_of_a;         ///< in which A comes at once: `k` or more
  bool brings_a = false;  ///< A comes with it
  bool brings_b = false;  ///< the rows of B in `k` come with it
  bool adds = false;      ///< to what C holds
  bool completes = false;
  std::int64_t a_at = 0;  ///< floats from the beginning of the card's memory of A, of C
  std::int64_t c_at = 0;
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

  /// Does a card multiply these columns at all, be it in a later step?
  bool needs_b(int card, const StreamStep& step) const {
    return split_.rows_of(card).count > 0 && cols(card, step).count > 0;
  }

  /// Floats from one row of B to the next, on all cards and for all blocks of columns.
  std::int64_t line_of_b() const { return line_of_b_; }
  /// How the matrices of a step's product lie.
  GemmForm form(const Shape& product, const StreamStep& step) const;

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
  std::int64_t most_cols() const;
  Stretch row_block(const Stretch& part, int which) const;
  /// Of the first block's panel, or of a later block's: does A come with it, and in which stretch of k?
  bool begins_part_of_a(int block, std::size_t panel) const;
  Stretch k_of_a(int block, std::size_t panel) const;

  Split split_;
  int row_blocks_ = 1;
  int col_blocks_ = 1;
  bool goes_round_ = false;
  std::vector<Stretch> first_panels_;  ///< of k
  std::vector<Stretch> later_panels_;
  std::size_t panels_of_a_ = 1;  ///< of the first block, with which A comes at once
  std::vector<StreamStep> steps_;
  std::int64_t line_of_b_ = 0;
  std::int64_t a_floats_ = 0;
  std::int64_t b_floats_ = 0;
  std::int64_t c_floats_ = 0;
};

/// Floats from one row to the next on a card, so that each begins at a multiple of 16 bytes.
inline std::int64_t stride_on_card(std::int64_t cols) {
  return (cols + 3) / 4 * 4;
}

}  // namespace gemmlab::gpu
