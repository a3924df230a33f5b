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
  one.may_split = cluster == 1;
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
  const WgmmaChoice choice = choose(plans(), asked(8192, 8192, 8192), "", 0);
  EXPECT_EQ(choice.plan.name, "large");
  EXPECT_EQ(choice.splits, 1);
}

TEST(MatrixChoice, splits_the_terms_where_there_are_fewer_tiles_than_multiprocessors) {
  EXPECT_GT(choose(plans(), asked(64, 4096, 4096), "", 0).splits, 1);
  EXPECT_EQ(choose(plans(), asked(64, 4096, 128), "", 0).splits, 1) << "too few terms";
}

TEST(MatrixChoice, does_what_it_is_told) {
  const WgmmaChoice told = choose(plans(), asked(8192, 8192, 8192), "small", 4);
  EXPECT_EQ(told.plan.name, "small");
  EXPECT_EQ(told.splits, 4);
  EXPECT_EQ(choose(plans(), asked(64, 64, 4096), "pair", 4).plan.kernel, nullptr) << "it cannot";
  EXPECT_EQ(choose(plans(), asked(64, 64, 160), "small", 8).splits, 2) << "no part is empty";
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
