#include "gpu/gemm/multi/split.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kFloatsIn16Bytes = 4;

std::int64_t exchanged_over(const Shape& shape, const CardGrid& grid) {
  return shape.k * ((grid.cols - 1) * shape.m + (grid.rows - 1) * shape.n);
}

/// The card `steps` behind `from` of a row or column of `count`, which ends where it begins: no two ask the same one at once.
int around(int from, int steps, int count) {
  return (from + steps) % count;
}

}  // namespace

Stretch part_of(const Stretch& whole, int parts, int which) {
  const std::int64_t unit = whole.count >= kFloatsIn16Bytes * parts ? kFloatsIn16Bytes : 1;
  const std::int64_t units = (whole.count + unit - 1) / unit;
  const auto begin = [&](std::int64_t part) { return std::min(whole.count, units * part / parts * unit); };
  const std::int64_t from = begin(which);
  return {whole.from + from, begin(which + 1) - from};
}

CardGrid least_exchange(const Shape& shape, int cards) {
  CardGrid best{cards, 1};
  for (int rows = cards - 1; rows >= 1; --rows) {
    if (cards % rows != 0) continue;
    const CardGrid grid{rows, cards / rows};
    if (exchanged_over(shape, grid) < exchanged_over(shape, best)) best = grid;
  }
  return best;
}

Split::Split(const Shape& shape, int cards, int chunks) : shape_(shape), chunks_(chunks) {
  if (cards < 1 || chunks < 1)
    throw std::invalid_argument("a product cannot be split over " + std::to_string(cards) + " cards in " +
                                std::to_string(chunks) + " chunks");
  grid_ = least_exchange(shape, cards);
}

Stretch Split::rows_of(int card) const {
  return part_of({0, shape_.m}, grid_.rows, row_of(card));
}

Stretch Split::cols_of(int card) const {
  return part_of({0, shape_.n}, grid_.cols, col_of(card));
}

Stretch Split::a_piece(int card) const {
  return part_of(rows_of(card), grid_.cols, col_of(card));
}

Stretch Split::b_piece(int card) const {
  return part_of(cols_of(card), grid_.rows, row_of(card));
}

std::vector<Split::Needed> Split::needed(int card) const {
  std::vector<Needed> all;
  if (rows_of(card).count == 0 || cols_of(card).count == 0) return all;
  for (int step = 1; step < std::max(grid_.rows, grid_.cols); ++step) {
    if (step < grid_.cols) {
      const int other = card_at(row_of(card), around(col_of(card), step, grid_.cols));
      if (a_piece(other).count > 0) all.push_back({true, other});
    }
    if (step < grid_.rows) {
      const int other = card_at(around(row_of(card), step, grid_.rows), col_of(card));
      if (b_piece(other).count > 0) all.push_back({false, other});
    }
  }
  return all;
}

std::vector<Block> Split::blocks(int card) const {
  std::vector<Block> whole;
  const int most = std::max(grid_.rows, grid_.cols);
  // in step `last` the pieces that arrive in it are multiplied with all that were there before
  for (int last = 0; last < most; ++last) {
    for (int a = 0; a <= std::min(last, grid_.cols - 1); ++a) {
      for (int b = 0; b <= std::min(last, grid_.rows - 1); ++b) {
        if (std::max(a, b) != last) continue;
        const int a_col = around(col_of(card), a, grid_.cols);
        const int b_row = around(row_of(card), b, grid_.rows);
        const Stretch rows = a_piece(card_at(row_of(card), a_col));
        const Stretch cols = b_piece(card_at(b_row, col_of(card)));
        if (rows.count > 0 && cols.count > 0) whole.push_back({a_col, b_row, rows, cols});
      }
    }
  }
  if (whole.empty()) return whole;
  const Block last = whole.back();
  whole.pop_back();
  for (int chunk = 0; chunk < chunks_; ++chunk) {
    const Stretch rows = part_of(last.rows, chunks_, chunk);
    if (rows.count > 0) whole.push_back({last.a_piece, last.b_piece, rows, last.cols});
  }
  return whole;
}

std::int64_t Split::exchanged() const {
  std::int64_t elements = 0;
  for (int card = 0; card < cards(); ++card) {
    for (const Needed& one : needed(card))
      elements += shape_.k * (one.of_a ? a_piece(one.card).count : b_piece(one.card).count);
  }
  return elements;
}

}  // namespace gemmlab::gpu
