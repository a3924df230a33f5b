// Ratios of timings, round by round, and the noise floor of a twin.

#include "submissions/judge/timing/ratios.h"

#include <gtest/gtest.h>

namespace gemmlab::submissions {
namespace {

Timing timing(const char* role, std::vector<double> samples_s, std::vector<int> rounds) {
  Timing made;
  made.role = role;
  made.samples_s = std::move(samples_s);
  made.rounds = std::move(rounds);
  return made;
}

TEST(Ratios, only_rounds_that_both_took_part_in_count) {
  const Timing library = timing(kLibrary, {2, 4, 8}, {0, 1, 3});
  const Timing own = timing(kSubmission, {1, 1, 1}, {1, 2, 3});
  std::vector<Timing> all{own, library};
  compare_with_library(all, 0.05);
  EXPECT_EQ(all[0].of_library, 6);
  EXPECT_EQ(all[1].of_library, 1);
}

TEST(Ratios, a_share_is_settled_where_the_interval_of_its_rounds_is_narrow) {
  const std::vector<int> rounds{0, 1, 2, 3, 4, 5, 6};
  const Timing library = timing(kLibrary, std::vector<double>(7, 1.0), rounds);
  const auto compared = [&](std::vector<double> samples_s) {
    std::vector<Timing> all{timing(kSubmission, std::move(samples_s), rounds), library};
    compare_with_library(all, 0.05);
    return all;
  };
  const std::vector<Timing> quiet = compared({2.0, 2.02, 1.98, 2.01, 2.0, 1.99, 2.0});
  EXPECT_EQ(quiet[0].settled, true);
  EXPECT_FALSE(quiet[1].settled) << "only the submission's marks hang on it";
  EXPECT_NEAR(quiet[0].of_library_low, 1 / 2.02, 1e-12);
  const std::vector<Timing> loud = compared({2.0, 3.0, 1.98, 2.0, 4.0, 1.99, 2.0});
  EXPECT_EQ(loud[0].settled, false);
  EXPECT_EQ(loud[0].of_library_low, 0.25);
}

TEST(Ratios, a_few_rounds_support_no_more_than_the_worst_of_them) {
  std::vector<Timing> all{timing(kSubmission, {2, 2, 4}, {0, 1, 2}), timing(kLibrary, {1, 1, 1}, {0, 1, 2})};
  compare_with_library(all, 0.05);
  EXPECT_EQ(all[0].settled, false);
  EXPECT_EQ(all[0].of_library_low, 0.25);
}

TEST(Ratios, two_that_were_timed_at_different_moments_are_compared_through_the_library) {
  Timing own = timing(kSubmission, {2}, {0});
  Timing rung = timing(kLadder, {1}, {0});  // while the machine was twice as fast
  EXPECT_EQ(times_as_fast(own, rung), 0.5);
  own.of_library = 0.5;
  rung.of_library = 0.25;
  EXPECT_EQ(times_as_fast(own, rung), 2);
}

/// Of half the library's speed, four bands: steps at 0.125, 0.25 and 0.375 of it.
Rule graded(const char* reference, int bands = 4) {
  Rule rule;
  rule.grading.emplace();
  rule.grading->bands = bands;
  rule.grading->shares.push_back({{8, 8, 8}, "", reference, 0.5, 20});
  return rule;
}

/// Beside a library, with shares from 1/slow to 1/fast of its speed.
std::vector<Timing> wide(double fast, double slow) {
  std::vector<Timing> all{
      timing(kSubmission, {fast, slow, fast, slow, fast, slow, slow}, {0, 1, 2, 3, 4, 5, 6}),
      timing(kLibrary, std::vector<double>(7, 1.0), {0, 1, 2, 3, 4, 5, 6})};
  for (Timing& one : all) one.shape = {8, 8, 8};
  compare_with_library(all, 0.05);
  EXPECT_EQ(all[0].settled, false);
  return all;
}

TEST(Ratios, a_wide_interval_within_one_band_is_settled_and_one_across_two_is_not) {
  std::vector<Timing> within = wide(4.5, 7.5), above = wide(1.2, 1.9), across = wide(3.5, 4.5);
  for (std::vector<Timing>* all : {&within, &above, &across})
    settle_by_bands(*all, {}, graded(kLibrary), Device::kCpu);
  EXPECT_EQ(within[0].settled, true);
  EXPECT_EQ(above[0].settled, true);
  EXPECT_EQ(across[0].settled, false);
}

TEST(Ratios, a_few_rounds_within_a_band_do_not_settle_it_unless_its_edges_are_far) {
  const auto settled = [](double seconds) {
    std::vector<Timing> all{timing(kSubmission, {seconds, seconds, seconds * 1.1}, {0, 1, 2}),
                            timing(kLibrary, {1, 1, 1}, {0, 1, 2})};
    for (Timing& one : all) one.shape = {8, 8, 8};
    compare_with_library(all, 0.05);
    settle_by_bands(all, {}, graded(kLibrary), Device::kCpu);
    return all[0].settled;
  };
  EXPECT_EQ(settled(5.0), false);
  EXPECT_EQ(settled(50.0), true);
}

TEST(Ratios, without_bands_only_a_narrow_interval_is_settled) {
  std::vector<Timing> all = wide(1.2, 1.9);
  settle_by_bands(all, {}, graded(kLibrary, 0), Device::kCpu);
  EXPECT_EQ(all[0].settled, false);
}

TEST(Ratios, nothing_is_asked_of_a_shape_without_points_and_of_another_devices) {
  std::vector<Timing> all = wide(3.5, 4.5), others = all, unmarked = all;
  Rule rule = graded(kLibrary);
  rule.grading->shares[0].shape = {9, 9, 9};
  settle_by_bands(all, {}, rule, Device::kCpu);
  EXPECT_FALSE(all[0].settled.has_value());
  rule.grading->shares[0].device = "gpu";
  settle_by_bands(others, {}, rule, Device::kCpu);
  EXPECT_EQ(others[0].settled, false) << "no points for speed: the interval itself is what there is";
  settle_by_bands(unmarked, {}, Rule(), Device::kCpu);
  EXPECT_EQ(unmarked[0].settled, false);
}

TEST(Ratios, bands_of_a_rung_are_met_through_the_library_wherever_it_was_timed) {
  Timing rung = timing(kLadder, {2}, {0});
  rung.shape = {8, 8, 8};
  rung.name = "cpu.blocked";
  rung.of_library = 0.5;  // steps at 0.0625, 0.125 and 0.1875 of the library, all points from 0.25 on
  std::vector<Timing> before = wide(2.2, 3.5), beside = wide(6.0, 9.0);
  settle_by_bands(before, {rung}, graded("cpu.blocked"), Device::kCpu);
  EXPECT_EQ(before[0].settled, true) << "both ends above the last step";
  beside.push_back(rung);
  settle_by_bands(beside, {}, graded("cpu.blocked"), Device::kCpu);
  EXPECT_EQ(beside[0].settled, false) << "a step lies between 1/9 and 1/6";
}

TEST(Ratios, without_a_library_nothing_can_be_settled) {
  std::vector<Timing> all{timing(kSubmission, {2, 2, 4}, {0, 1, 2})};
  compare_with_library(all, 0.05);
  EXPECT_FALSE(all[0].settled);
}

TEST(Ratios, a_twin_that_is_as_fast_has_no_noise_and_one_that_is_slower_has_its_distance) {
  const Timing own = timing(kSubmission, std::vector<double>(9, 1.1), {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const Timing twin = timing(kTwin, std::vector<double>(9, 1.0), {0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(twin_pair(own, own)->apart, 0);
  EXPECT_EQ(twin_pair(own, own)->beyond, 0);
  EXPECT_NEAR(twin_pair(own, twin)->apart, 0.1, 1e-12);
  EXPECT_NEAR(twin_pair(own, twin)->beyond, 0.1, 1e-12);
  EXPECT_FALSE(twin_pair(own, timing(kTwin, {}, {})));
}

TEST(Ratios, the_floor_is_the_larger_of_the_usual_distance_and_the_farthest_interval) {
  EXPECT_FALSE(noise_floor({}));
  EXPECT_EQ(noise_floor({{0.01, 0}, {0.03, 0}, {0.02, 0}}), 0.02);
  EXPECT_EQ(noise_floor({{0.01, 0.05}, {0.03, 0}, {0.02, 0}}), 0.05);
}

}  // namespace
}  // namespace gemmlab::submissions
