#include "gpu/gemm/multi/split.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kFloatsIn16Bytes = 4;
/// Of C, so that the first card has no tiles that are cut off, where it has as many of them as make little difference.
constexpr std::int64_t kRowsOfTile = 256;
constexpr std::int64_t kWholeTiles = 16;

std::int64_t exchanged_over(const Shape& shape, const CardGrid& grid) {
  return shape.k * ((grid.cols - 1) * shape.m + (grid.rows - 1) * shape.n);
}

/// Parts of rows or columns begin at multiples of it.
std::int64_t unit_of(std::int64_t count, int parts) {
  return count >= kFloatsIn16Bytes * parts ? kFloatsIn16Bytes : 1;
}

/// The card `steps` behind `from` of a row or column of `count`, which ends where it begins: no two ask the same one at once.
int around(int from, int steps, int count) {
  return (from + steps) % count;
}

}  // namespace

Stretch part_of(const Stretch& whole, int parts, int which) {
  const std::int64_t unit = unit_of(whole.count, parts);
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

std::int64_t rows_ahead(const Shape& shape, int cards, std::int64_t flops_per_byte) {
  const bool by_rows = least_exchange(shape, cards).cols == 1;
  const auto flops_per_row = 2 * shape.k * (by_rows ? shape.n : shape.m);
  const auto floats = (shape.m + shape.n) * shape.k / cards;
  const auto bytes = static_cast<std::int64_t>(sizeof(float)) * floats * (cards - 1);
  return flops_per_byte * bytes / std::max<std::int64_t>(1, flops_per_row);
}

Split::Split(const Shape& shape, int cards, const Cuts& cuts) : shape_(shape), cuts_(cuts) {
  if (cards < 1 || cuts.steps < 1 || cuts.last < 1 || cuts.ahead < 0)
    throw std::invalid_argument("a product cannot be split over " + std::to_string(cards) + " cards in " +
                                std::to_string(cuts.steps) + " steps and " + std::to_string(cuts.last) +
                                " last parts, " + std::to_string(cuts.ahead) + " rows ahead");
  grid_ = least_exchange(shape, cards);
}

Stretch Split::share_of(std::int64_t count, int parts, int which) const {
  if (cuts_.ahead == 0 || parts == 1 || parts < cards()) return part_of({0, count}, parts, which);
  const std::int64_t ahead = std::min(cuts_.ahead, count / 2);
  const std::int64_t even = (count + (parts - 1) * ahead) / parts;
  const std::int64_t unit = count >= kWholeTiles * kRowsOfTile ? kRowsOfTile : unit_of(count, parts);
  const std::int64_t first = std::min(count, (even + unit / 2) / unit * unit);
  if (which == 0) return {0, first};
  return part_of({first, count - first}, parts - 1, which - 1);
}

Stretch Split::rows_of(int card) const {
  return share_of(shape_.m, grid_.rows, row_of(card));
}

Stretch Split::cols_of(int card) const {
  return share_of(shape_.n, grid_.cols, col_of(card));
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

std::vector<std::pair<int, int>> Split::pairs(int card) const {
  std::vector<std::pair<int, int>> all;
  const int most = std::max(grid_.rows, grid_.cols);
  // the pieces that arrive as number `last` are multiplied with all that were there before
  for (int last = 0; last < most; ++last) {
    for (int a = 0; a <= std::min(last, grid_.cols - 1); ++a) {
      for (int b = 0; b <= std::min(last, grid_.rows - 1); ++b) {
        if (std::max(a, b) != last) continue;
        all.emplace_back(around(col_of(card), a, grid_.cols), around(row_of(card), b, grid_.rows));
      }
    }
  }
  return all;
}

std::vector<Block> Split::blocks(int card) const {
  std::vector<Block> whole;
  for (int step = 0; step < cuts_.steps; ++step) {
    for (const auto& [a, b] : pairs(card)) {
      const int owner_of_a = card_at(row_of(card), a);
      const int owner_of_b = card_at(b, col_of(card));
      const Stretch piece = a_piece(owner_of_a);
      const Stretch fresh = a_part(owner_of_a, step);
      for (int of_b = 0; of_b <= step; ++of_b) {
        // the columns that are new take all rows that have come, the older ones take the new rows
        const Stretch rows = of_b == step ? Stretch{piece.from, fresh.to() - piece.from} : fresh;
        const Stretch cols = b_part(owner_of_b, of_b);
        if (rows.count > 0 && cols.count > 0) whole.push_back({a, b, rows, cols, step, of_b});
      }
    }
  }
  if (whole.empty()) return whole;
  const Block last = whole.back();
  whole.pop_back();
  for (int part = 0; part < cuts_.last; ++part) {
    Block block = last;
    block.rows = part_of(last.rows, cuts_.last, part);
    if (block.rows.count > 0) whole.push_back(block);
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
