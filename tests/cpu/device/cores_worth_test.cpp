#include "cpu/device/cores_worth.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/machine/machine.h"
#include "tests/core/machine/usable_processors.h"

namespace gemmlab::cpu {
namespace {

using test::usable_processors;

TEST(CoresWorth, two_that_together_do_what_one_does_share_a_core) {
  EXPECT_EQ(share_a_core({1.02, 0.97, 1.1, 1.0, 0.99}), true);
  EXPECT_EQ(share_a_core({2.0, 1.96, 2.03, 1.99, 2.01}), false);
}

TEST(CoresWorth, a_neighbour_that_disturbs_some_rounds_changes_no_answer) {
  EXPECT_EQ(share_a_core({1.0, 2.1, 1.02, 1.7, 0.98}), true) << "the one alone was slowed down twice";
  EXPECT_EQ(share_a_core({2.0, 1.1, 2.4, 1.4, 2.0}), false) << "one of the two was slowed down twice";
}

TEST(CoresWorth, what_lies_between_is_not_known) {
  EXPECT_EQ(share_a_core({1.4, 1.5, 1.45}), std::nullopt);
  EXPECT_EQ(share_a_core({}), std::nullopt);
}

TEST(CoresWorth, all_over_one_is_what_they_are_worth_and_never_more_than_their_number) {
  EXPECT_EQ(cores_worth({8.1, 7.9, 8.0, 8.3, 7.7}, 16), 8.0);
  EXPECT_EQ(cores_worth({16.8, 17.1, 16.2, 16.9, 16.5}, 16), 16.0) << "the one alone had a busy neighbour";
  EXPECT_EQ(cores_worth({8.0, 8.1, 3.0, 7.9, 8.0, 8.2, 15.0}, 16), 8.0)
      << "two rounds of seven were disturbed";
}

TEST(CoresWorth, rounds_that_do_not_agree_say_nothing) {
  EXPECT_EQ(cores_worth({8.0, 15.0, 9.0, 14.0, 11.0}, 16), std::nullopt);
  EXPECT_EQ(cores_worth({}, 16), std::nullopt);
}

TEST(CoresWorth, measuring_is_short_and_leaves_every_thread_free) {
  const int before = usable_processors();
  const auto start = std::chrono::steady_clock::now();
  const CoresWorth found = measure_cores_worth();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(usable_processors(), before);
  EXPECT_LT(took.count(), 10) << "on a busy machine; 0.1 s on a quiet one";
  if (found.cores_worth) {
    EXPECT_GT(*found.cores_worth, 0.0);
    EXPECT_LE(*found.cores_worth, cpu_info().cores);
  }
  for (const auto& [one, other] : found.smt_pairs.value_or(std::vector<std::pair<int, int>>())) {
    EXPECT_EQ(one, cpu_info().first_processors.front());
    EXPECT_NE(one, other);
  }
}

}  // namespace
}  // namespace gemmlab::cpu
