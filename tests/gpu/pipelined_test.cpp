// What gpu.pipelined decides before it touches a GPU.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "gpu/gemm/pipelined/choose.h"
#include "gpu/gemm/pipelined/shared_memory.h"

namespace gemmlab::gpu {
namespace {

const Shape kShapes[] = {
    {1, 1, 1},          {17, 31, 5},           {128, 128, 128},      {1000, 1000, 1000}, {4097, 4097, 4097},
    {16, 4096, 4096},   {4096, 4096, 16},      {128, 128, 65536},    {4096, 64, 4096},   {4096, 4096, 4096},
    {8192, 4096, 6144}, {1, 1, 2'000'000'000}, {2'000'000'000, 1, 1}};

PipelinedCard card_of(int compute_capability) {
  switch (compute_capability) {
    case 75:
      return {75, 40, 65536, 65536};
    case 80:
      return {80, 108, 167936, 166912};
    case 89:
      return {89, 128, 102400, 101376};
    default:
      return {};
  }
}

std::vector<std::string> tiles() {
  std::vector<std::string> names = {"auto"};
  for (const PipelinedCandidate& candidate : pipelined_candidates()) names.push_back(candidate.name);
  return names;
}

TEST(Pipelined, has_at_most_twelve_tiles_of_different_names) {
  const auto& all = pipelined_candidates();
  EXPECT_LE(all.size(), 12u);
  std::set<std::string> names;
  for (const PipelinedCandidate& candidate : all) {
    EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
    EXPECT_NE(candidate.kernel, candidate.aligned_kernel);
  }
}

TEST(Pipelined, finds_a_tile_for_every_shape_on_every_card_that_fits_it) {
  for (int compute_capability : {75, 80, 89, 90, 120}) {
    const PipelinedCard card = card_of(compute_capability);
    for (const Shape& shape : kShapes) {
      const PipelinedChoice choice = choose_pipelined(shape, "auto", card);
      ASSERT_NE(choice.candidate, nullptr) << compute_capability;
      EXPECT_GE(blocks_per_sm(*choice.candidate, card), 1);
      EXPECT_GT(choice.cycles, 0);
    }
  }
}

TEST(Pipelined, every_step_of_every_tile_is_taken_once) {
  for (const std::string& tile : tiles()) {
    for (const Shape& shape : kShapes) {
      const PipelinedChoice choice = choose_pipelined(shape, tile, PipelinedCard());
      ASSERT_NE(choice.candidate, nullptr);
      const Schedule& schedule = choice.schedule;
      SCOPED_TRACE(tile + " m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.n));
      ASSERT_GE(std::int64_t{schedule.steps} * choice.candidate->BK, shape.k);
      const Shape core{shape.m - choice.edge_rows, shape.n - choice.edge_cols, shape.k};
      ASSERT_EQ(std::int64_t{schedule.tiles()}, pipelined_tiles(*choice.candidate, core));
      if (schedule.split_blocks == 0) {
        EXPECT_EQ(std::int64_t{schedule.whole}, std::int64_t{schedule.tiles()});
        continue;
      }
      EXPECT_EQ(schedule.first_step(0), 0u);
      EXPECT_EQ(schedule.first_step(schedule.split_blocks), schedule.shared_steps());
      for (unsigned block = 0; block < static_cast<unsigned>(schedule.split_blocks); ++block) {
        const unsigned first = schedule.first_step(block);
        const unsigned behind = schedule.first_step(block + 1);
        ASSERT_LT(first, behind);
        EXPECT_EQ(schedule.block_of(first), block);
        EXPECT_EQ(schedule.block_of(behind - 1), block);
      }
    }
  }
}

TEST(Pipelined, every_tile_of_c_has_one_place) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{1000, 700, 8}, Shape{4097, 300, 8}, Shape{300, 4097, 8}}) {
    const Schedule schedule = choose_pipelined(shape, "128x64", PipelinedCard()).schedule;
    std::set<std::pair<int, int>> places;
    for (unsigned tile = 0; tile < schedule.tiles(); ++tile) {
      const TilePlace place = place_of(schedule, tile);
      EXPECT_GE(place.row, 0);
      EXPECT_LT(place.row, schedule.tiles_down);
      EXPECT_GE(place.col, 0);
      EXPECT_LT(place.col, schedule.tiles_across);
      EXPECT_TRUE(places.insert({place.row, place.col}).second);
    }
  }
}

TEST(Pipelined, splits_k_where_the_tiles_of_c_do_not_fill_the_card) {
  PipelinedCard without_clusters;
  without_clusters.clusters = false;
  for (const Shape& shape : {Shape{128, 128, 65536}, Shape{16, 4096, 4096}, Shape{72, 165, 1275}}) {
    EXPECT_GT(split_k(choose_pipelined(shape, "auto", without_clusters).schedule), 1);
    const PipelinedChoice choice = choose_pipelined(shape, "auto", PipelinedCard());
    EXPECT_TRUE(choice.cluster > 1 || split_k(choice.schedule) > 1);
    EXPECT_TRUE(choice.cluster == 0 || choice.schedule.split_blocks == 0) << "a tile is shared in one way";
  }
  EXPECT_EQ(split_k(choose_pipelined({4096, 4096, 16}, "auto", PipelinedCard()).schedule), 1);
  EXPECT_EQ(split_k(choose_pipelined({1, 1, 1}, "auto", PipelinedCard()).schedule), 1);
}

TEST(Pipelined, copies_b_where_its_rows_are_odd_and_the_product_is_long_enough_to_pay_for_it) {
  EXPECT_TRUE(choose_pipelined({4097, 4097, 4097}, "auto", PipelinedCard()).pads_b);
  EXPECT_FALSE(choose_pipelined({4096, 4096, 4097}, "auto", PipelinedCard()).pads_b);
  EXPECT_FALSE(choose_pipelined({16, 17, 16}, "auto", PipelinedCard()).pads_b);
}

TEST(Pipelined, does_not_fill_the_memory_with_its_copy_of_b) {
  PipelinedCard small;
  small.memory_bytes = std::int64_t{4097} * 4097 * 4 * 3;  // the matrices alone
  const PipelinedChoice choice = choose_pipelined({4097, 4097, 4097}, "auto", small);
  EXPECT_FALSE(choice.pads_b);
  EXPECT_EQ(padded_floats(choice, {4097, 4097, 4097}), 0);
  PipelinedChoice padded = choice;
  padded.pads_b = true;
  EXPECT_EQ(padded_floats(padded, {5, 9, 7}), 7 * 16);  // rows of 9 floats at sectors of 8
}

TEST(Pipelined, leaves_a_few_rows_and_columns_behind_the_last_whole_tile_to_the_kernels_for_thin_products) {
  const PipelinedChoice choice = choose_pipelined({4097, 4099, 4096}, "auto", PipelinedCard());
  EXPECT_EQ(choice.edge_rows, 1);
  EXPECT_EQ(choice.edge_cols, 3);
  EXPECT_EQ(choice.schedule.tiles_down * choice.candidate->BM, 4096);
  EXPECT_EQ(choice.schedule.tiles_across * choice.candidate->BN, 4096);
  const PipelinedChoice even = choose_pipelined({4096, 4096, 4096}, "auto", PipelinedCard());
  EXPECT_EQ(even.edge_rows + even.edge_cols, 0);
}

TEST(Pipelined, sets_as_much_shared_memory_aside_as_the_blocks_that_an_sm_gets_need) {
  for (const int compute_capability : {75, 80, 89, 90}) {
    const PipelinedCard card = card_of(compute_capability);
    for (const PipelinedCandidate& tile : pipelined_candidates()) {
      const int most = blocks_per_sm(tile, card);
      if (most == 0) continue;
      SCOPED_TRACE(tile.name + " on " + std::to_string(compute_capability));
      for (int on_an_sm = 1; on_an_sm <= most; ++on_an_sm) {
        const int percent = shared_percent(tile, std::int64_t{on_an_sm} * card.sms, card);
        const double needed =
            100.0 * on_an_sm * (tile.shared_bytes + kReservedBytes) / card.shared_bytes_per_sm;
        EXPECT_GE(percent, needed);
        EXPECT_LT(percent, needed + 1);
        EXPECT_LE(percent, kAllShared);
      }
      EXPECT_EQ(shared_percent(tile, 1, card), shared_percent(tile, card.sms, card));
      EXPECT_EQ(shared_percent(tile, 1'000'000, card),
                shared_percent(tile, std::int64_t{most} * card.sms, card));
    }
  }
}

TEST(Pipelined, answers_nothing_where_a_tile_does_not_fit_the_card) {
  EXPECT_EQ(choose_pipelined({512, 512, 512}, "256x128", card_of(75)).candidate, nullptr);
}

}  // namespace
}  // namespace gemmlab::gpu
