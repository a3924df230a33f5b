// What a batch is multiplied by, decided before a GPU is touched.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "gpu/gemm/batched/choose.h"

namespace gemmlab::gpu {
namespace {

GemmBatch dense(const Shape& shape, std::int64_t count, bool transpose_a = false, bool transpose_b = false) {
  return {shape,          form_of(shape, transpose_a, transpose_b), count, shape.a_count(), shape.b_count(),
          shape.c_count()};
}

BatchChoice chosen(const GemmBatch& batch, bool at_16_bytes = true) {
  return choose_batched(batch, "auto", at_16_bytes, PipelinedCard());
}

TEST(Batched, tiles_have_different_names_and_a_kernel_for_every_layout) {
  std::set<std::string> names;
  std::set<BatchedKernel> kernels;
  for (const BatchedCandidate& candidate : batched_candidates()) {
    EXPECT_TRUE(names.insert(candidate.tile.name).second);
    for (const BatchedKernel kernel : candidate.kernel) EXPECT_TRUE(kernels.insert(kernel).second);
  }
}

TEST(Batched, copies_by_16_bytes_only_where_all_rows_of_all_products_start_there) {
  EXPECT_EQ(chosen(dense({64, 64, 64}, 8)).layout, BatchLayout::kRowsBy16);
  EXPECT_EQ(chosen(dense({64, 64, 64}, 8), false).layout, BatchLayout::kRowsBy4);
  EXPECT_EQ(chosen(dense({64, 63, 64}, 8)).layout, BatchLayout::kRowsBy4);
  GemmBatch odd = dense({64, 64, 64}, 8);
  odd.stride_b += 1;
  EXPECT_EQ(chosen(odd).layout, BatchLayout::kRowsBy4);
  EXPECT_EQ(chosen(dense({64, 64, 64}, 8, false, true)).layout, BatchLayout::kTurnedB);
  EXPECT_EQ(chosen(dense({64, 64, 64}, 8, true)).layout, BatchLayout::kTurnedA);
}

TEST(Batched, leaves_what_no_launch_takes_to_the_products_one_by_one) {
  EXPECT_EQ(chosen(dense({64, 64, 64}, 8, true, true)).candidate, nullptr);
  EXPECT_EQ(chosen(dense({63, 64, 64}, 8, true)).candidate, nullptr);
  GemmBatch nothing = dense({64, 64, 64}, 8);
  nothing.form.alpha = 0;
  EXPECT_EQ(chosen(nothing).candidate, nullptr);
}

/// A batch, and every tile that took at most 1.05 times as long as the best one on an H200.
struct Measured {
  std::int64_t count;
  Shape shape;
  bool transpose_a;
  bool transpose_b;
  std::set<std::string> good;
};

TEST(Batched, takes_a_tile_that_was_among_the_fastest) {
  const std::vector<Measured> all = {
      {64, {128, 128, 64}, false, true, {"128x64x16"}},
      {16, {1024, 1024, 64}, false, true, {"128x128"}},
      {64, {128, 64, 128}, false, false, {"64x64x16w4"}},
      {12, {384, 64, 384}, false, false, {"32x32x32"}},
      {16, {1024, 64, 1024}, false, false, {"64x64x16", "128x64x16"}},
      {8, {2048, 64, 2048}, false, false, {"64x64x16", "128x64x16"}},
      {64, {100, 100, 100}, false, false, {"64x64x16", "128x64x16"}},
      {200, {33, 33, 33}, false, false, {"64x64x16w4"}},
      {33, {65, 67, 129}, false, false, {"64x64x16w4"}},
      {256, {64, 64, 64}, false, false, {"64x64x16", "64x64x16w4"}},
      {1000, {16, 16, 16}, false, false, {"32x32x16"}},
      {24, {128, 128, 128}, false, false, {"32x32x32"}},
      {10, {77, 91, 512}, false, false, {"32x32"}},
      {40, {192, 80, 320}, true, false, {"64x64x16"}},
  };
  for (const Measured& one : all) {
    const BatchChoice choice = chosen(dense(one.shape, one.count, one.transpose_a, one.transpose_b));
    ASSERT_NE(choice.candidate, nullptr);
    EXPECT_TRUE(one.good.count(choice.candidate->tile.name))
        << one.count << " x " << one.shape.m << " x " << one.shape.n << " x " << one.shape.k << ": "
        << choice.candidate->tile.name;
  }
}

TEST(Batched, every_tile_has_a_time_on_every_card) {
  for (const int compute_capability : {75, 80, 86, 90, 100}) {
    PipelinedCard card;
    card.compute_capability = compute_capability;
    for (const BatchedCandidate& candidate : batched_candidates()) {
      const BatchChoice choice = choose_batched(dense({65, 67, 129}, 33), candidate.tile.name, true, card);
      ASSERT_EQ(choice.candidate, &candidate);
      EXPECT_GT(choice.cycles, 0) << candidate.tile.name;
    }
  }
}

TEST(Batched, small_products_are_one_launch_and_a_plain_one_is_none) {
  const PipelinedCard card;
  for (const bool turned : {false, true}) {
    const GemmBatch small = dense({128, 128, 64}, 64, false, turned);
    EXPECT_TRUE(batch_is_better(chosen(small), small, card));
  }
  const GemmBatch one = dense({128, 128, 64}, 1);
  EXPECT_FALSE(batch_is_better(chosen(one), one, card));
}

TEST(Batched, one_product_whose_b_would_be_turned_first_is_one_launch_where_it_is_small) {
  const PipelinedCard card;
  const GemmBatch scores = dense({384, 384, 64}, 1, false, true);
  EXPECT_TRUE(batch_is_better(chosen(scores), scores, card));
}

}  // namespace
}  // namespace gemmlab::gpu
