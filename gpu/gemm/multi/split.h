#pragma once

// How a product is shared out over cards: plain arithmetic.
//
// C is cut into a grid of rows×cols parts, one per card, numbered row by row. The cards of a row need the same rows of A, and
// those of a column the same columns of B; each has a part of these, its piece, and gets the others' pieces from them. So
// what a card has at the beginning already makes a block of its part of C, and more blocks follow as pieces arrive. Where
// the pieces themselves are still to come, from the first card or from the host, they come in steps, a stretch of each
// piece per step.

#include <cstdint>
#include <utility>
#include <vector>

#include "operations/gemm/shape.h"

namespace gemmlab::gpu {

struct Stretch {
  std::int64_t from = 0;
  std::int64_t count = 0;

  std::int64_t to() const { return from + count; }
  friend bool operator==(const Stretch& one, const Stretch& other) {
    return one.from == other.from && one.count == other.count;
  }
};

/// Part `which` of `parts` of a stretch: they follow one another and differ by less than 8, or by 1 where there are few.
/// Where there are enough they begin at multiples of 4 (16 bytes of floats) behind its beginning.
Stretch part_of(const Stretch& whole, int parts, int which);

struct CardGrid {
  int rows = 1;
  int cols = 1;
};

/// The grid of rows·cols = cards over which the fewest elements are exchanged: k·((cols - 1)·m + (rows - 1)·n) of them, each
/// card's own piece being where it is needed. Of equals the one with more rows, in which rows of C stay whole.
CardGrid least_exchange(const Shape& shape, int cards);

/// A product of one card: rows of one piece of A by the columns of one piece of B that come in one step.
struct Block {
  int a_piece = 0;  ///< of the card in this column of the same row of the grid
  int b_piece = 0;  ///< of the card in this row of the same column
  Stretch rows;     ///< of C
  Stretch cols;
  int a_step = 0;  ///< with which the last of the rows come
  int b_step = 0;
};

/// Into how many parts a card's work is cut, each at least 1.
struct Cuts {
  int steps = 1;  ///< in which its own pieces come
  int last = 1;   ///< of its last block, so that little of C is left to send when all is multiplied
  /// Rows of C (columns, where the grid is a row) that the first card computes beyond each other's, as it begins at once while they
  /// wait: of a grid that is a row or a column. At most half of C, which leaves each other card half of an equal part; to within a tile.
  std::int64_t ahead = 0;
};

/// Cuts::ahead, so that the first card does `flops_per_byte` more for each byte of A and B that the others wait for: all that is
/// theirs, over the first card's links, in one step.
std::int64_t rows_ahead(const Shape& shape, int cards, std::int64_t flops_per_byte);

class Split {
 public:
  /// Throws std::invalid_argument for no cards, no parts, or fewer than no rows ahead.
  Split(const Shape& shape, int cards, const Cuts& cuts);

  int steps() const { return cuts_.steps; }
  int cards() const { return grid_.rows * grid_.cols; }
  const CardGrid& grid() const { return grid_; }
  const Shape& shape() const { return shape_; }
  int row_of(int card) const { return card / grid_.cols; }
  int col_of(int card) const { return card % grid_.cols; }
  int card_at(int row, int col) const { return row * grid_.cols + col; }

  /// The part of C that a card computes; may be empty.
  Stretch rows_of(int card) const;
  Stretch cols_of(int card) const;
  /// The rows of A, and the columns of B, that are a card's own.
  Stretch a_piece(int card) const;
  Stretch b_piece(int card) const;
  /// What comes of them in a step; may be empty.
  Stretch a_part(int card, int step) const { return part_of(a_piece(card), cuts_.steps, step); }
  Stretch b_part(int card, int step) const { return part_of(b_piece(card), cuts_.steps, step); }

  /// What a card needs of others, in the order in which it is needed in each step: pieces of cards of its row (A) or
  /// column (B).
  struct Needed {
    bool of_a = true;
    int card = 0;
  };
  std::vector<Needed> needed(int card) const;
  /// The products of a card, none of them empty, in the order in which their operands arrive.
  std::vector<Block> blocks(int card) const;
  /// Elements that cards get from each other.
  std::int64_t exchanged() const;

 private:
  /// Pairs of a piece of A (its column of the grid) and one of B (its row), as they can be multiplied.
  std::vector<std::pair<int, int>> pairs(int card) const;
  /// Part `which` of `parts` of rows or columns of C.
  Stretch share_of(std::int64_t count, int parts, int which) const;

  Shape shape_;
  CardGrid grid_;
  Cuts cuts_;
};

}  // namespace gemmlab::gpu
