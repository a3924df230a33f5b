// Calls that had to wait for a processor are no samples of a speed; planted waits.

#include "submissions/judge/timing/quiet_rounds.h"

#include <gtest/gtest.h>

#include <numeric>

#include "submissions/judge/timing/ratios.h"

namespace gemmlab::submissions {
namespace {

/// Of some rounds in a row; `waited_s` per round, or of none.
Timing waiting_timing(const char* role, std::vector<double> samples_s, std::vector<double> waited_s) {
  Timing made;
  made.role = role;
  made.rounds.resize(samples_s.size());
  std::iota(made.rounds.begin(), made.rounds.end(), 0);
  made.samples_s = std::move(samples_s);
  made.waited_s = std::move(waited_s);
  return made;
}

std::vector<Timing> compared(Timing own, Timing library) {
  std::vector<Timing> all{std::move(own), std::move(library)};
  compare_with_library(all, 0.05);
  return all;
}

constexpr double kLong = 0.5;  ///< seconds that are waited for in a disturbed round

TEST(QuietRounds, a_small_share_of_waiting_and_the_time_to_wake_do_not_disturb) {
  const Timing one = waiting_timing(kLibrary, {1, 1, 1e-3, 1e-3}, {0.015, 0.03, 9e-5, 2e-4});
  EXPECT_FALSE(disturbed(one, 0));
  EXPECT_TRUE(disturbed(one, 1));
  EXPECT_FALSE(disturbed(one, 2));
  EXPECT_TRUE(disturbed(one, 3));
  EXPECT_FALSE(disturbed(waiting_timing(kLibrary, {1}, {}), 0)) << "nobody looked";
}

// The library with a thread per processor is slowed by load, one thread is not: its share rises.
TEST(QuietRounds, load_that_comes_and_goes_does_not_move_a_share) {
  std::vector<double> library_s, waited_s;
  for (int round = 0; round < 21; ++round) {
    const bool load = round % 3 != 0;
    library_s.push_back(load ? 2 : 1);
    waited_s.push_back(load ? kLong : 0);
  }
  const auto own = [](std::size_t rounds) {
    return waiting_timing(kSubmission, std::vector<double>(rounds, 4.0), std::vector<double>(rounds, 0.0));
  };
  const std::vector<Timing> made = compared(own(21), waiting_timing(kLibrary, library_s, waited_s));
  EXPECT_EQ(made[0].of_library, 0.25);
  EXPECT_EQ(made[0].quiet, true);
  EXPECT_EQ(made[0].quiet_rounds, 7);
  EXPECT_EQ(made[0].settled, true);
  EXPECT_EQ(counted_samples(made[1]), std::vector<double>(7, 1.0));
}

TEST(QuietRounds, too_few_quiet_rounds_count_no_more_than_the_others) {
  std::vector<double> waited_s(12, kLong);
  waited_s[0] = waited_s[5] = 0;
  std::vector<double> library_s(12, 2.0);
  library_s[0] = library_s[5] = 1;
  const std::vector<Timing> made =
      compared(waiting_timing(kSubmission, std::vector<double>(12, 4.0), std::vector<double>(12, 0.0)),
               waiting_timing(kLibrary, library_s, waited_s));
  EXPECT_EQ(made[0].of_library, 0.5);
  EXPECT_EQ(made[0].quiet, false);
  EXPECT_EQ(made[0].quiet_rounds, 2);
  EXPECT_EQ(counted_samples(made[1]).size(), 12U);
}

TEST(QuietRounds, of_three_slow_calls_all_have_to_be_quiet) {
  const Timing library = waiting_timing(kLibrary, {1, 1, 1}, {0, 0, 0});
  EXPECT_EQ(compared(waiting_timing(kSubmission, {2, 2, 2}, {0, 0, 0}), library)[0].quiet, true);
  EXPECT_EQ(compared(waiting_timing(kSubmission, {2, 2, 2}, {0, kLong, 0}), library)[0].quiet, false);
}

// It sleeps behind a thread of its own in its slow calls, so that they be dropped.
TEST(QuietRounds, one_that_waits_where_the_library_does_not_is_no_faster_than_by_all_rounds) {
  std::vector<double> samples_s, waited_s;
  for (int round = 0; round < 18; ++round) {
    samples_s.push_back(round % 2 == 0 ? 2 : 4);
    waited_s.push_back(round % 2 == 0 ? 0 : kLong);
  }
  const Timing library = waiting_timing(kLibrary, std::vector<double>(18, 1.0), std::vector<double>(18, 0.0));
  const std::vector<Timing> made = compared(waiting_timing(kSubmission, samples_s, waited_s), library);
  EXPECT_TRUE(made[0].waits_alone);
  EXPECT_EQ(made[0].quiet, false);
  EXPECT_EQ(made[0].of_library, 0.375) << "the middle of all, not 0.5";
}

TEST(QuietRounds, where_both_wait_it_is_the_machine) {
  std::vector<double> samples_s, waited_s;
  for (int round = 0; round < 18; ++round) {
    samples_s.push_back(round % 2 == 0 ? 2 : 4);
    waited_s.push_back(round % 2 == 0 ? 0 : kLong);
  }
  const std::vector<Timing> made = compared(waiting_timing(kSubmission, samples_s, waited_s),
                                            waiting_timing(kLibrary, std::vector<double>(18, 1.0), waited_s));
  EXPECT_FALSE(made[0].waits_alone);
  EXPECT_EQ(made[0].quiet, true);
  EXPECT_EQ(made[0].of_library, 0.5);
}

// Of 8 seconds the library waited 4, of 4 the submission 1: its share lies between (8 - 4)/4 and 8/(4 - 1).
TEST(QuietRounds, where_all_wait_the_ends_hold_what_waiting_may_have_changed) {
  const auto repeated = [](double value) { return std::vector<double>(12, value); };
  const std::vector<Timing> made = compared(waiting_timing(kSubmission, repeated(4), repeated(1)),
                                            waiting_timing(kLibrary, repeated(8), repeated(4)));
  EXPECT_EQ(made[0].quiet, false);
  EXPECT_EQ(made[0].of_library, 2);
  EXPECT_DOUBLE_EQ(made[0].of_library_low, 1);
  EXPECT_DOUBLE_EQ(made[0].of_library_high, 8.0 / 3);
  EXPECT_EQ(made[1].of_library_low, 1) << "the library is the measure";
  EXPECT_EQ(made[1].of_library_high, 1);
}

TEST(QuietRounds, threads_that_wait_together_leave_some_of_a_call) {
  const std::vector<Timing> made = compared(waiting_timing(kSubmission, {1, 1, 1}, {5, 5, 5}),
                                            waiting_timing(kLibrary, {1, 1, 1}, {0, 0, 0}));
  EXPECT_DOUBLE_EQ(made[0].of_library_high, 20);
}

TEST(QuietRounds, on_a_gpu_nobody_looks) {
  const std::vector<Timing> made =
      compared(waiting_timing(kSubmission, {2, 2}, {}), waiting_timing(kLibrary, {1, 1}, {}));
  EXPECT_FALSE(made[0].quiet.has_value());
  EXPECT_EQ(made[0].of_library, 0.5);
}

}  // namespace
}  // namespace gemmlab::submissions
