// Which tile and split gpu.matrix_tuned takes, of plans as they are compiled; nothing here needs a card.

#include <gtest/gtest.h>

#include "gpu/gemm/matrix_tuned/choose.h"

namespace gemmlab {
namespace {

using gpu::WgmmaAsked;
using gpu::WgmmaChoice;
using gpu::WgmmaPlan;
using gpu::tensor_core::choose;

constexpr int kMultiprocessors = 132;

WgmmaPlan plan(const char* name, int BM, int BN, int cluster, int at_once) {
  WgmmaPlan one;
  one.name = name;
  one.kernel = &kMultiprocessors;  // any: it is not launched
  one.BM = BM;
  one.BN = BN;
  one.cluster = cluster;
  one.stages = 4;
  one.blocks_at_once = at_once;
  return one;
}

const std::vector<WgmmaPlan>& plans() {
  static const std::vector<WgmmaPlan> all = {plan("large", 128, 256, 1, 1), plan("pair", 64, 128, 2, 2),
                                             plan("small", 64, 128, 1, 2)};
  return all;
}

WgmmaAsked asked(std::int64_t m, std::int64_t n, std::int64_t k, int multiprocessors = kMultiprocessors) {
  return {{ElementType::kBfloat16, ElementType::kBfloat16}, {m, n, k}, false, multiprocessors};
}

TEST(MatrixChoice, takes_large_tiles_where_they_keep_the_card_busy) {
  EXPECT_EQ(choose(plans(), asked(8192, 8192, 8192), "", 0).plan.name, "large");
  const WgmmaChoice whole_rounds = choose(plans(), asked(128 * 132, 256 * 4, 8192), "", 0);
  EXPECT_EQ(whole_rounds.plan.name, "large");
  EXPECT_EQ(whole_rounds.splits, 1);
}

TEST(MatrixChoice, splits_the_terms_where_tiles_do_not_fill_the_card) {
  EXPECT_GT(choose(plans(), asked(128, 128, 65536), "", 0).splits, 8);
  EXPECT_EQ(choose(plans(), asked(128, 128, 64), "", 0).splits, 1) << "too few terms";
  // 33 rows of tiles of 33: the last of them are an eighth of a round
  EXPECT_GT(choose(plans(), asked(4224, 8448, 8192), "large", 0).splits, 1);
  EXPECT_EQ(choose(plans(), asked(128 * 132, 256, 8192), "large", 0).splits, 1) << "they fill it";
}

TEST(MatrixChoice, spares_the_cache_where_rows_start_within_a_sector) {
  const std::vector<WgmmaPlan> both = {plan("alone", 128, 256, 1, 1), plan("shared", 128, 256, 2, 1)};
  EXPECT_EQ(choose(both, asked(3000, 3000, 3000), "", 1).plan.name, "shared");
}

TEST(MatrixChoice, does_what_it_is_told) {
  const WgmmaChoice told = choose(plans(), asked(8192, 8192, 8192), "small", 4);
  EXPECT_EQ(told.plan.name, "small");
  EXPECT_EQ(told.splits, 4);
  EXPECT_EQ(choose(plans(), asked(64, 64, 160), "small", 8).splits, 3) << "no part is empty";
  EXPECT_EQ(choose(plans(), asked(64, 64, 64), "unknown", 0).plan.kernel, nullptr);
}

TEST(MatrixChoice, has_an_answer_on_any_card_and_shape) {
  for (const int multiprocessors : {1, 2, 3, 16, 132}) {
    for (const std::int64_t side : {1, 63, 64, 65, 1000, 100000}) {
      const WgmmaChoice choice = choose(plans(), asked(side, 1, side, multiprocessors), "", 0);
      EXPECT_NE(choice.plan.kernel, nullptr) << multiprocessors << " " << side;
      EXPECT_GE(choice.splits, 1);
    }
  }
}

}  // namespace
}  // namespace gemmlab
