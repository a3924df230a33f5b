#include "core/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/inputs/inputs.h"

namespace gemmlab {
namespace {

/// n, n-1, ..., 1: the r-th smallest is r.
std::vector<double> falling(int n) {
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  return samples;
}

TEST(statistics, the_median_is_the_middle_or_the_mean_of_the_middle_two) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({3, 1}), 2);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({9, 1, 4, 2}), 3);
  EXPECT_EQ(median({5, 5, 5, 5, 5}), 5);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(statistics, no_interval_is_given_under_six_samples) {
  for (int n = 0; n < 6; ++n) {
    EXPECT_FALSE(median_interval(falling(n))) << n;
    EXPECT_FALSE(median_interval(falling(n), 0.5)) << n;
  }
  EXPECT_TRUE(median_interval(falling(6)));
}

TEST(statistics, no_interval_is_given_where_the_whole_range_misses_the_confidence) {
  EXPECT_FALSE(median_interval(falling(6), 0.99));
  EXPECT_FALSE(median_interval(falling(7), 0.99));
  EXPECT_TRUE(median_interval(falling(8), 0.99));
  EXPECT_FALSE(median_interval(falling(100), 1.0));
}

/// Ranks from the binomial distribution in exact rational arithmetic; tests/records/test_ratios.py holds the
/// report's own intervals against the same table, so that the two cannot part.
TEST(statistics, intervals_have_the_ranks_of_exact_arithmetic) {
  std::ifstream table(GEMMLAB_INTERVAL_RANKS);
  std::string line;
  std::getline(table, line);
  ASSERT_EQ(line, "count,confidence,rank");
  int rows = 0;
  while (std::getline(table, line)) {
    int count = 0, rank = 0;
    double confidence = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%d,%lf,%d", &count, &confidence, &rank), 3) << line;
    const auto interval = median_interval(falling(count), confidence);
    ASSERT_EQ(interval.has_value(), rank > 0) << line;
    if (interval) {
      EXPECT_EQ(interval->low, rank) << line;
      EXPECT_EQ(interval->high, count + 1 - rank) << line;
    }
    ++rows;
  }
  EXPECT_GT(rows, 100);
}

TEST(statistics, the_interval_holds_the_median) {
  for (int n = 6; n < 300; ++n) {
    const auto interval = median_interval(falling(n));
    ASSERT_TRUE(interval);
    EXPECT_LE(interval->low, median(falling(n)));
    EXPECT_GE(interval->high, median(falling(n)));
  }
}

/// Exponential: skewed as run times are; its median is ln 2. Of 4,000 intervals at least 95 % less three
/// standard deviations of such a count have to hold it.
TEST(statistics, intervals_of_skewed_samples_hold_the_true_median_as_often_as_they_say) {
  constexpr int kTrials = 4000;
  std::int64_t draw = 0;
  for (const int n : {6, 9, 15, 25, 60}) {
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> samples(static_cast<std::size_t>(n));
      for (double& sample : samples) {
        sample = -std::log1p(-element(Distribution::kNonnegative, 17, Operand::kA, draw++, 0));
      }
      const auto interval = median_interval(samples);
      held += interval->low <= std::log(2.0) && std::log(2.0) <= interval->high;
    }
    EXPECT_GE(held, 0.9397 * kTrials) << n;
  }
}

TEST(statistics, the_relative_half_width_is_infinite_without_an_interval) {
  EXPECT_EQ(relative_half_width({1, 1, 1, 1, 1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(relative_half_width({}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(relative_half_width({0, 0, 0, 0, 0, 0}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(relative_half_width({1, 1, 1, 1, 1, 1}), 0);
  EXPECT_DOUBLE_EQ(relative_half_width({8, 9, 10, 10, 11, 14}), 0.3);
}

TEST(statistics, a_shuffle_is_a_permutation_and_the_same_for_the_same_seed) {
  Shuffler first(42);
  Shuffler again(42);
  Shuffler other(43);
  const std::vector<int> order = first.order(100);
  EXPECT_EQ(order, again.order(100));
  EXPECT_NE(order, other.order(100));
  EXPECT_NE(order, first.order(100)) << "the second order of one generator";
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(first.order(0).empty());
  EXPECT_EQ(first.order(1), std::vector<int>{0});
}

TEST(statistics, shuffles_are_those_laid_down_once_and_for_all) {
  EXPECT_EQ(Shuffler(1).order(8), (std::vector<int>{4, 3, 2, 7, 5, 6, 0, 1}));
}

TEST(statistics, every_permutation_of_three_is_as_likely) {
  Shuffler shuffler(9);
  int counts[27] = {};
  for (int trial = 0; trial < 6000; ++trial) {
    const std::vector<int> order = shuffler.order(3);
    ++counts[order[0] * 9 + order[1] * 3 + order[2]];
  }
  for (const int index : {5, 7, 11, 15, 19, 21}) EXPECT_NEAR(counts[index], 1000, 120) << index;
}

}  // namespace
}  // namespace gemmlab
