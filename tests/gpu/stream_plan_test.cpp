// How matrices on the host stream through cards: each term of C once, nothing overwritten that is still needed, within the
// memory that a card may use.

#include "gpu/gemm/multi/stream_plan.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace gemmlab::gpu {
namespace {

struct Streamed {
  Shape shape;
  std::int64_t floats;  ///< StreamPlan::kNoLimit, and what makes memory go round
};

const Streamed kStreamed[] = {{{1, 1, 1}, 60},          {{37, 29, 45}, 700},    {{3, 64, 500}, 4500},
                              {{64, 3, 500}, 5000},     {{128, 128, 64}, 2000}, {{61, 211, 7}, 400},
                              {{200, 90, 1000}, 14000}, {{8, 8, 3000}, 26000}};

template <typename Check>
void with_every_plan(const Check& check) {
  for (const Streamed& one : kStreamed) {
    for (const int cards : {1, 2, 3, 4, 8}) {
      for (const int chunks : {1, 2, 5}) {
        for (const std::int64_t floats : {StreamPlan::kNoLimit, one.floats}) {
          for (const Slower slower : {Slower::kProduct, Slower::kLinks}) {
            SCOPED_TRACE(testing::Message()
                         << one.shape.m << "x" << one.shape.k << "x" << one.shape.n << " on " << cards
                         << " in " << chunks << ", floats " << floats << ", slower "
                         << (slower == Slower::kLinks ? "links" : "product"));
            check(StreamPlan(one.shape, cards, chunks, floats, slower), floats);
          }
        }
      }
    }
  }
}

TEST(StreamPlan, adds_each_term_of_c_once_and_in_order) {
  with_every_plan([](const StreamPlan& plan, std::int64_t) {
    const Shape& shape = plan.shape();
    std::vector<std::int64_t> terms(static_cast<std::size_t>(shape.c_count()));
    for (int card = 0; card < plan.split().cards(); ++card) {
      for (const StreamStep& step : plan.steps()) {
        const Stretch rows = plan.rows(card, step), cols = plan.cols(card, step);
        EXPECT_EQ(step.adds, step.k.from > 0);
        EXPECT_EQ(step.completes, step.k.to() == shape.k);
        for (std::int64_t row = rows.from; row < rows.to(); ++row) {
          for (std::int64_t col = cols.from; col < cols.to(); ++col) {
            std::int64_t& there = terms[static_cast<std::size_t>(row * shape.n + col)];
            ASSERT_EQ(there, step.k.from);
            there = step.k.to();
          }
        }
      }
    }
    for (const std::int64_t there : terms) ASSERT_EQ(there, shape.k);
  });
}

TEST(StreamPlan, gets_each_line_from_the_host_by_one_of_the_cards_that_need_it) {
  with_every_plan([](const StreamPlan& plan, std::int64_t) {
    const Split& split = plan.split();
    for (const StreamStep& step : plan.steps()) {
      for (int row = 0; row < split.grid().rows; ++row) {
        std::int64_t lines = 0;
        for (int col = 0; col < split.grid().cols; ++col)
          lines += plan.own_of_a(split.card_at(row, col), step).count;
        ASSERT_EQ(lines, step.brings_a ? plan.rows(split.card_at(row, 0), step).count : 0);
      }
      std::int64_t lines = 0;
      for (int row = 0; row < split.grid().rows; ++row)
        lines += plan.own_of_b(split.card_at(row, 0), step).count;
      ASSERT_EQ(lines, step.brings_b ? step.k.count : 0);
    }
  });
}

bool meet(const Stretch& one, const Stretch& other) {
  return one.from < other.to() && other.from < one.to();
}

TEST(StreamPlan, overwrites_only_what_is_waited_for) {
  with_every_plan([](const StreamPlan& plan, std::int64_t) {
    const std::vector<StreamStep>& steps = plan.steps();
    const auto floats = [](std::int64_t at, std::int64_t lines, std::int64_t cols) {
      return Stretch{at, lines * stride_on_card(cols)};
    };
    const auto of_b = [&](const StreamStep& step) {
      return floats(step.k.from * plan.line_of_b(), step.k.count, plan.line_of_b());
    };
    for (int card = 0; card < plan.split().cards(); ++card) {
      for (int later = 0; later < static_cast<int>(steps.size()); ++later) {
        const StreamStep& step = steps[static_cast<std::size_t>(later)];
        const std::int64_t rows = plan.rows(card, step).count, cols = plan.cols(card, step).count;
        const Stretch a = floats(step.a_at, rows, step.k_of_a.count), c = floats(step.c_at, rows, cols);
        const Stretch b = of_b(step);
        ASSERT_LE(cols, plan.line_of_b());
        ASSERT_LE(a.to(), plan.a_floats());
        ASSERT_LE(b.to(), plan.b_floats());
        ASSERT_LE(c.to(), plan.c_floats());
        for (int earlier = 0; earlier < later; ++earlier) {
          const StreamStep& before = steps[static_cast<std::size_t>(earlier)];
          const std::int64_t its_rows = plan.rows(card, before).count,
                             its_cols = plan.cols(card, before).count;
          if (step.brings_a && meet(a, floats(before.a_at, its_rows, before.k_of_a.count))) {
            ASSERT_LE(earlier, step.a_after);
          }
          const bool same_c = before.row_block == step.row_block && before.col_block == step.col_block;
          if (!same_c && !step.adds && meet(c, floats(before.c_at, its_rows, its_cols))) {
            ASSERT_LE(earlier, step.c_after);
          }
          if (step.brings_b && before.col_block != step.col_block && meet(b, of_b(before))) {
            ASSERT_LE(earlier, step.b_after);
            if (before.brings_b) {
              ASSERT_LE(earlier, step.b_replaced);
            }
          }
        }
      }
    }
  });
}

TEST(StreamPlan, multiplies_what_was_brought_last_to_its_place) {
  with_every_plan([](const StreamPlan& plan, std::int64_t) {
    const StreamStep* a = nullptr;
    std::vector<int> col_block_of_b(static_cast<std::size_t>(plan.shape().k), -1);
    for (const StreamStep& step : plan.steps()) {
      if (step.brings_a) a = &step;
      for (std::int64_t k = step.k.from; k < step.k.to(); ++k) {
        int& brought = col_block_of_b[static_cast<std::size_t>(k)];
        if (step.brings_b) brought = step.col_block;
        ASSERT_EQ(brought, step.col_block);
      }
      ASSERT_NE(a, nullptr);
      ASSERT_EQ(a->a_at, step.a_at);
      ASSERT_EQ(a->row_block, step.row_block);
      ASSERT_EQ(a->k_of_a.from, step.k_of_a.from);
      ASSERT_EQ(a->k_of_a.count, step.k_of_a.count);
      ASSERT_LE(step.k_of_a.from, step.k.from);
      ASSERT_GE(step.k_of_a.to(), step.k.to());
    }
  });
}

TEST(StreamPlan, keeps_to_its_memory_and_goes_round_in_it_where_all_does_not_fit) {
  int round = 0;
  with_every_plan([&](const StreamPlan& plan, std::int64_t floats) {
    EXPECT_LE(plan.a_floats() + plan.b_floats() + plan.c_floats(), floats);
    if (!plan.goes_round()) {
      EXPECT_EQ(plan.loaded(), plan.shape().a_count() + plan.shape().b_count());
    }
    round += plan.goes_round();
  });
  EXPECT_GT(round, 30);
}

TEST(StreamPlan, begins_with_a_short_panel_and_ends_with_few_rows_where_the_product_is_slower) {
  const StreamPlan plan({8192, 8192, 8192}, 1, 8, StreamPlan::kNoLimit, Slower::kProduct);
  EXPECT_EQ(plan.steps().front().k.count, 320);
  EXPECT_EQ(plan.rows(0, plan.steps().front()).count, 4096);
  EXPECT_EQ(plan.rows(0, plan.steps().back()).count, 512);
  EXPECT_EQ(plan.steps().back().k.count, 8192);
}

TEST(StreamPlan, ends_its_first_block_with_a_short_panel_where_the_links_are_slower) {
  const StreamPlan plan({16384, 16384, 16384}, 2, 6, StreamPlan::kNoLimit, Slower::kLinks);
  const std::vector<StreamStep>& steps = plan.steps();
  ASSERT_EQ(steps.size(), 10u);
  EXPECT_EQ(steps[0].k.count, 3520);
  EXPECT_EQ(steps[5].k.count, 2048);
  EXPECT_EQ(steps[0].k_of_a.count, steps[2].k.from) << "A in three parts";
  EXPECT_FALSE(steps[1].brings_a);
  EXPECT_TRUE(steps[2].brings_a);
  EXPECT_EQ(plan.rows(0, steps[0]).count, 4096);
  EXPECT_EQ(plan.rows(1, steps[9]).count, 512);
  EXPECT_EQ(plan.exchanged(), 16384 * 16384) << "each card half of B";
}

TEST(StreamPlan, refuses_less_memory_than_a_column_needs) {
  EXPECT_THROW(StreamPlan({8, 8, 1000}, 1, 1, 1000, Slower::kProduct), std::invalid_argument);
  EXPECT_THROW(StreamPlan({8, 8, 8}, 0, 1, 1000, Slower::kLinks), std::invalid_argument);
}

}  // namespace
}  // namespace gemmlab::gpu
