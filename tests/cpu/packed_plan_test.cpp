// What cpu.packed decides from the shape and the machine; the same for every isa but for the size
// of the tile.

#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/gemm/method.h"
#include "operations/gemm/shape.h"

namespace gemmlab::cpu {

namespace baseline {
extern const Method packed;
}

namespace {

Plan plan_of(const Shape& shape, int threads, const Machine& machine) {
  return baseline::packed.plan(
      {nullptr, nullptr, nullptr, shape.m, shape.n, shape.k, threads, 0, {}, form_of(shape)}, machine);
}

TEST(PackedPlan, gives_every_thread_a_share_and_none_more_than_there_are_cores) {
  for (const int cores : {1, 2, 3, 16, 64}) {
    for (const int threads : {1, 2, 16, 64, 256}) {
      for (const Shape& s : {Shape{1, 1, 1}, Shape{64, 64, 64}, Shape{256, 256, 256}, Shape{4096, 16, 4096},
                             Shape{16, 4096, 4096}, Shape{128, 128, 16384}, Shape{3, 5, 1000000}}) {
        const Plan plan = plan_of(s, threads, {cores, 32 << 10, 1 << 20});
        EXPECT_GE(plan.threads, 1);
        EXPECT_LE(plan.threads, std::min(cores, threads));
        EXPECT_EQ(plan.threads, plan.over_m * plan.over_n * plan.over_k);
        EXPECT_LE(plan.over_m, s.m);
        EXPECT_LE(plan.over_n, s.n);
        EXPECT_LE(plan.over_k, s.k);
      }
    }
  }
}

TEST(PackedPlan, keeps_small_shapes_on_one_thread_and_spreads_large_ones_over_all) {
  const Machine machine{16, 48 << 10, 2 << 20};
  EXPECT_EQ(plan_of({64, 64, 64}, 16, machine).threads, 1);
  EXPECT_EQ(plan_of({64, 64, 64}, 2, {2, 48 << 10, 2 << 20}).threads, 2);
  EXPECT_EQ(plan_of({4096, 4096, 4096}, 16, machine).threads, 16);
  EXPECT_GT(plan_of({32, 32, 100000}, 16, machine).over_k, 1);
  EXPECT_EQ(plan_of({4096, 4096, 4096}, 16, machine).over_k, 1);
}

/// Columns of B a power of two apart: 512 KiB of L2 hold 16 lines of such a column, 2 MiB 128.
TEST(PackedPlan, takes_fewer_terms_at_a_time_where_rows_of_b_share_cache_sets) {
  const auto terms_at = [](std::int64_t n, std::int64_t l2) {
    return plan_of({16, n, 4096}, 1, {1, 32 << 10, l2}).kc;
  };
  EXPECT_EQ(terms_at(4096, 2 << 20), 96);
  EXPECT_EQ(terms_at(8192, 2 << 20), 48);
  EXPECT_EQ(terms_at(4096, 512 << 10), 32);
  EXPECT_GT(terms_at(4000, 512 << 10), 96);
}

TEST(PackedPlan, takes_its_blocks_from_the_caches) {
  const Shape shape{2000, 2000, 2000};
  const Plan small = plan_of(shape, 1, {1, 32 << 10, 256 << 10});
  const Plan large = plan_of(shape, 1, {1, 64 << 10, 2 << 20});
  EXPECT_GT(large.kc, small.kc);
  EXPECT_GT(large.kc * large.nc, 4 * small.kc * small.nc);
  EXPECT_LE(large.kc * large.nc * 4, 2 << 20);
  EXPECT_LE(small.kc * small.nc * 4, 256 << 10);
  EXPECT_GE(plan_of(shape, 1, {1, 0, 0}).nc, 1);  // a machine that does not say
}

TEST(PackedPlan, copies_a_thread_s_part_of_b_that_several_row_panels_would_read_from_many_pages) {
  const Machine machine{16, 48 << 10, 2 << 20};
  EXPECT_STREQ(plan_of({32, 2048, 2048}, 16, machine).path, "packed");
  EXPECT_STREQ(plan_of({16, 4096, 4096}, 16, machine).path, "packed");
  EXPECT_STREQ(plan_of({16, 4096, 4096}, 1, machine).path, "few_rows");
}

TEST(PackedPlan, shares_out_no_terms_of_a_large_c_and_puts_few_terms_into_one_wide_block) {
  const Machine machine{16, 48 << 10, 2 << 20};
  EXPECT_EQ(plan_of({3000, 3000, 3000}, 16, machine).over_k, 1);
  EXPECT_GE(plan_of({4096, 4096, 16}, 1, machine).nc, 4096);
  EXPECT_LT(plan_of({4096, 4096, 4096}, 1, machine).nc, 4096);
}

TEST(PackedPlan, takes_low_tiles_that_ask_for_a_large_c_of_few_terms_on_any_number_of_threads) {
  const Machine machine{16, 48 << 10, 2 << 20};
  const int usual = plan_of({2048, 2048, 2048}, 1, machine).mr;
  for (const int threads : {1, 8, 16}) {
    const Plan plan = plan_of({4096, 4096, 16}, threads, machine);
    EXPECT_STREQ(plan.path, "packed") << threads;
    EXPECT_LE(plan.mr, std::min(8, usual)) << threads;
  }
  EXPECT_STREQ(plan_of({1000, 1000, 16}, 1, machine).path, "direct");  // caches keep so much
  EXPECT_STREQ(plan_of({500, 3000, 64}, 16, machine).path, "direct");
}

}  // namespace
}  // namespace gemmlab::cpu
