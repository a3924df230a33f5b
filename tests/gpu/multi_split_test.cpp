// How a product is shared out over cards: each element of C by exactly one product, whose operands have arrived by then.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gpu/gemm/multi/split.h"

namespace gemmlab::gpu {
namespace {

const Shape kSplitShapes[] = {{1, 1, 1},     {1, 97, 5},      {97, 1, 5},      {3, 3, 7},
                              {2, 1000, 13}, {37, 29, 45},    {64, 64, 8},     {5, 211, 1},
                              {127, 61, 3},  {128, 128, 128}, {1009, 1013, 11}};

template <typename Check>
void at_every_shape(const Check& check) {
  for (const Shape& shape : kSplitShapes) {
    for (int cards = 1; cards <= 8; ++cards) {
      SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.k << "x" << shape.n << " on " << cards);
      check(shape, cards);
    }
  }
}

TEST(Parts, follow_one_another_and_differ_little) {
  for (const std::int64_t count : {0, 1, 3, 7, 16, 31, 97, 1000, 16384}) {
    for (int parts = 1; parts <= 8; ++parts) {
      std::int64_t next = 5, least = count, most = 0;
      for (int which = 0; which < parts; ++which) {
        const Stretch part = part_of({5, count}, parts, which);
        EXPECT_EQ(part.from, next);
        next = part.to();
        least = std::min(least, part.count);
        most = std::max(most, part.count);
        if (count >= 4 * parts) {
          EXPECT_EQ((part.from - 5) % 4, 0) << count << " in " << parts;
        }
      }
      EXPECT_EQ(next, 5 + count);
      EXPECT_LE(most - least, count >= 4 * parts ? 7 : 1) << count << " in " << parts;
    }
  }
}

TEST(Grid, is_square_for_a_square_product_and_long_for_a_long_one) {
  const auto grid = [](const Shape& shape, int cards) {
    const CardGrid found = least_exchange(shape, cards);
    return std::make_pair(found.rows, found.cols);
  };
  const Shape square{16384, 16384, 16384}, tall{65536, 1024, 4096}, wide{1024, 65536, 4096};
  EXPECT_EQ(grid(square, 1), std::make_pair(1, 1));
  EXPECT_EQ(grid(square, 2), std::make_pair(2, 1)) << "whole rows of C";
  EXPECT_EQ(grid(square, 4), std::make_pair(2, 2));
  EXPECT_EQ(grid(square, 7), std::make_pair(7, 1));
  EXPECT_EQ(grid(square, 8), std::make_pair(4, 2));
  EXPECT_EQ(grid(tall, 8), std::make_pair(8, 1));
  EXPECT_EQ(grid(wide, 8), std::make_pair(1, 8));
}

TEST(Grid, no_other_exchanges_less) {
  at_every_shape([](const Shape& shape, int cards) {
    const CardGrid best = least_exchange(shape, cards);
    EXPECT_EQ(best.rows * best.cols, cards);
    const auto cost = [&](std::int64_t rows, std::int64_t cols) {
      return shape.k * ((cols - 1) * shape.m + (rows - 1) * shape.n);
    };
    for (int rows = 1; rows <= cards; ++rows) {
      if (cards % rows == 0) {
        EXPECT_LE(cost(best.rows, best.cols), cost(rows, cards / rows)) << rows;
      }
    }
    EXPECT_LE(Split(shape, cards, {}).exchanged(), cost(best.rows, best.cols));
  });
}

TEST(Split, every_element_of_c_is_computed_once) {
  at_every_shape([](const Shape& shape, int cards) {
    for (const Cuts& cuts : {Cuts{1, 1}, Cuts{1, 3}, Cuts{1, 4}, Cuts{2, 1}, Cuts{5, 1}, Cuts{1, 1, 1},
                             Cuts{3, 1, 40}, Cuts{1, 2, 100000}}) {
      const Split split(shape, cards, cuts);
      std::vector<int> times(static_cast<std::size_t>(shape.c_count()));
      for (int card = 0; card < cards; ++card) {
        for (const Block& block : split.blocks(card)) {
          EXPECT_GT(block.rows.count * block.cols.count, 0);
          for (std::int64_t row = block.rows.from; row < block.rows.to(); ++row) {
            for (std::int64_t col = block.cols.from; col < block.cols.to(); ++col)
              ++times[static_cast<std::size_t>(row * shape.n + col)];
          }
        }
      }
      EXPECT_EQ(std::count(times.begin(), times.end(), 1), shape.c_count());
    }
  });
}

TEST(Split, every_row_of_a_and_column_of_b_is_one_cards_own) {
  at_every_shape([](const Shape& shape, int cards) {
    for (const std::int64_t ahead : {0, 7, 100000}) {
      const Split split(shape, cards, {1, 1, ahead});
      std::int64_t rows = 0, cols = 0;
      std::set<std::int64_t> row_begins, col_begins;
      for (int card = 0; card < cards; ++card) {
        const Stretch a = split.a_piece(card), b = split.b_piece(card);
        rows += a.count;
        cols += b.count;
        if (a.count > 0) {
          EXPECT_TRUE(row_begins.insert(a.from).second);
        }
        if (b.count > 0) {
          EXPECT_TRUE(col_begins.insert(b.from).second);
        }
      }
      EXPECT_EQ(rows, shape.m);
      EXPECT_EQ(cols, shape.n);
    }
  });
}

TEST(Split, a_block_lies_in_pieces_that_have_come) {
  at_every_shape([](const Shape& shape, int cards) {
    for (const Cuts& cuts : {Cuts{1, 2}, Cuts{3, 1}, Cuts{2, 1, 50}}) {
      const Split split(shape, cards, cuts);
      for (int card = 0; card < cards; ++card) {
        std::set<std::pair<bool, int>> here = {{true, card}, {false, card}};
        for (const Split::Needed& one : split.needed(card)) {
          EXPECT_TRUE(here.insert({one.of_a, one.card}).second) << "fetched twice";
        }
        int step = 0;
        for (const Block& block : split.blocks(card)) {
          const int of_a = split.card_at(split.row_of(card), block.a_piece);
          const int of_b = split.card_at(block.b_piece, split.col_of(card));
          EXPECT_EQ(here.count({true, of_a}), 1u);
          EXPECT_EQ(here.count({false, of_b}), 1u);
          EXPECT_GE(block.rows.from, split.a_piece(of_a).from);
          EXPECT_LE(block.rows.to(), split.a_part(of_a, block.a_step).to());
          EXPECT_EQ(block.cols.from, split.b_part(of_b, block.b_step).from);
          EXPECT_EQ(block.cols.count, split.b_part(of_b, block.b_step).count);
          EXPECT_GE(std::max(block.a_step, block.b_step), step)
              << "what came earlier waits for what comes later";
          step = std::max(block.a_step, block.b_step);
        }
      }
    }
  });
}

TEST(Split, in_steps_multiplies_what_is_new_with_all_that_is_there) {
  const Split split({16384, 16384, 16384}, 2, {2, 1});
  const std::vector<Block> blocks = split.blocks(0);
  ASSERT_EQ(
      blocks.size(),
      2u + 4u);  // own and fetched columns; then the new rows by the old columns, and all rows by the new
  EXPECT_EQ(blocks[0].rows.count, 4096);
  EXPECT_EQ(blocks[0].cols.count, 4096);
  EXPECT_EQ(blocks[2].rows.from, 4096);
  EXPECT_EQ(blocks[2].cols.from, 0);
  EXPECT_EQ(blocks[3].rows.count, 8192);
  EXPECT_EQ(blocks[3].cols.from, 4096);
}

TEST(Split, begins_with_what_a_card_has_of_its_own) {
  const Split split({16384, 16384, 16384}, 4, {1, 4});
  for (int card = 0; card < 4; ++card) {
    const std::vector<Block> blocks = split.blocks(card);
    ASSERT_EQ(blocks.size(), 3u + 4u);
    EXPECT_EQ(split.card_at(split.row_of(card), blocks[0].a_piece), card);
    EXPECT_EQ(split.card_at(blocks[0].b_piece, split.col_of(card)), card);
    EXPECT_EQ(blocks[0].rows.count, 4096);
    EXPECT_EQ(blocks.back().rows.count, 1024);
  }
  EXPECT_EQ(split.exchanged(), std::int64_t{2} * 16384 * 16384);
}

TEST(Split, the_first_card_goes_ahead_by_whole_tiles_and_leaves_the_others_half) {
  const auto parts = [](const Shape& shape, int cards, std::int64_t ahead, auto part_of_card) {
    std::vector<std::int64_t> counts;
    const Split split(shape, cards, {1, 1, ahead});
    for (int card = 0; card < cards; ++card) counts.push_back(part_of_card(split, card));
    return counts;
  };
  const auto rows = [](const Split& split, int card) { return split.rows_of(card).count; };
  const auto cols = [](const Split& split, int card) { return split.cols_of(card).count; };
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(parts({16384, 16384, 16384}, 2, 512, rows), (Counts{8448, 7936}));
  EXPECT_EQ(parts({16384, 16384, 16384}, 2, 600, rows), (Counts{8448, 7936}));
  EXPECT_EQ(parts({16384, 16384, 16384}, 2, 100000, rows), (Counts{12288, 4096})) << "half of an equal part";
  EXPECT_EQ(parts({4267, 4267, 8}, 2, 100000, rows), (Counts{3328, 939})) << "to within a tile";
  EXPECT_EQ(parts({30000, 1000, 64}, 3, 3000, rows), (Counts{12032, 8984, 8984}));
  EXPECT_EQ(parts({1000, 16384, 64}, 2, 512, cols), (Counts{8448, 7936})) << "a grid of one row";
  EXPECT_EQ(parts({16384, 16384, 16384}, 4, 512, rows), (Counts{8192, 8192, 8192, 8192}))
      << "rows and columns";
  EXPECT_EQ(parts({100, 100, 8}, 2, 10, rows), (Counts{56, 44})) << "few rows: 16 bytes";
}

TEST(Split, rows_ahead_are_those_that_others_wait_for) {
  EXPECT_EQ(rows_ahead({16384, 16384, 16384}, 2, 256), 512);
  EXPECT_EQ(rows_ahead({8192, 8192, 100}, 2, 256), 512) << "at any size";
  EXPECT_EQ(rows_ahead({100000, 100000, 100000}, 7, 256), 877) << "for six others";
  EXPECT_EQ(rows_ahead({1000, 31000, 5}, 2, 10), 320) << "columns";
  EXPECT_EQ(rows_ahead({16384, 16384, 16384}, 2, 0), 0);
  EXPECT_EQ(rows_ahead({5, 5, 0}, 2, 256), 0);
}

TEST(Split, of_no_cards_or_no_chunks_is_refused) {
  EXPECT_THROW(Split({4, 4, 4}, 0, {}), std::invalid_argument);
  EXPECT_THROW(Split({4, 4, 4}, 1, {1, 0}), std::invalid_argument);
  EXPECT_THROW(Split({4, 4, 4}, 1, {0, 1}), std::invalid_argument);
  EXPECT_THROW(Split({4, 4, 4}, 2, {1, 1, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace gemmlab::gpu
