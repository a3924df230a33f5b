#include "runner/execution/time_left.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gemmlab::runner {
namespace {

TEST(TimeLeft, what_comes_before_the_first_group_is_no_reason_to_expect_more) {
  TimeLeft time(11);
  time.begin(1, 60);  // a minute of ceilings
  EXPECT_NEAR(time.left_s(60), 11, 1e-9);
  EXPECT_NEAR(time.left_s(61), 10, 1e-9);
  time.end(61);
  EXPECT_NEAR(time.left_s(200), 10, 1e-9) << "nor is a pause between groups";
}

TEST(TimeLeft, as_expected_it_falls_second_by_second) {
  TimeLeft time(100);
  for (int group = 0; group < 10; ++group) {
    time.begin(10, 10 * group);
    for (int second = 0; second < 10; ++second)
      EXPECT_NEAR(time.left_s(10 * group + second), 100 - 10 * group - second, 1e-9);
    time.end(10 * group + 10);
  }
  EXPECT_NEAR(time.left_s(100), 0, 1e-9);
}

TEST(TimeLeft, work_that_takes_twice_as_long_never_makes_it_jump) {
  constexpr int kGroups = 50;
  TimeLeft time(kGroups);
  double before_s = kGroups;
  for (int group = 0; group < kGroups; ++group) {
    time.begin(1, 2 * group);
    for (const double now_s : {2 * group + 0.0, 2 * group + 1.0, 2 * group + 1.99}) {
      const double left_s = time.left_s(now_s);
      EXPECT_LT(left_s, before_s + 6) << "at " << now_s;
      EXPECT_GT(left_s, before_s - 6) << "at " << now_s;
      before_s = left_s;
    }
    time.end(2 * group + 2);
  }
  EXPECT_LT(before_s, 1);
}

TEST(TimeLeft, it_learns_how_far_the_estimate_is_off) {
  TimeLeft time(1000);
  time.begin(500, 0);
  time.end(1500);
  EXPECT_NEAR(time.left_s(1500), 1500, 30);
}

TEST(TimeLeft, a_group_that_is_late_tells_so_before_it_ends) {
  TimeLeft time(200);
  time.begin(100, 0);
  const double on_time_s = time.left_s(100);
  EXPECT_NEAR(on_time_s, 100, 1);
  EXPECT_GT(time.left_s(300), 2 * on_time_s);
}

}  // namespace
}  // namespace gemmlab::runner
