#include "runner/execution/time_left.h"

#include <algorithm>

namespace gemmlab::runner {
namespace {

/// Seconds of work at the expected pace that are averaged with what is seen: one short group should not
/// change the estimate for all others.
constexpr double kFaith_s = 10;
constexpr double kLeastPace = 0.2;
constexpr double kMostPace = 20;

double pace(double taken_s, double expected_s) {
  return std::clamp((taken_s + kFaith_s) / (expected_s + kFaith_s), kLeastPace, kMostPace);
}

}  // namespace

void TimeLeft::begin(double expected_s, double now_s) {
  ahead_s_ = std::max(0.0, ahead_s_ - expected_s);
  group_expected_s_ = expected_s;
  group_began_s_ = now_s;
}

void TimeLeft::end(double now_s) {
  done_s_ += now_s - group_began_s_;
  done_expected_s_ += group_expected_s_;
  group_expected_s_ = 0;
}

double TimeLeft::left_s(double now_s) const {
  double seen = pace(done_s_, done_expected_s_);
  if (group_expected_s_ <= 0) return ahead_s_ * seen;
  const double taken_s = now_s - group_began_s_;
  const double group_s = group_expected_s_ * seen;
  // a group that is late already tells of its lateness before it ends
  if (taken_s > group_s) seen = std::max(seen, pace(done_s_ + taken_s, done_expected_s_ + group_expected_s_));
  return ahead_s_ * seen + std::max(0.0, group_s - taken_s);
}

}  // namespace gemmlab::runner
