#pragma once

// Predicts how long the rest of a run takes.

namespace gemmlab::runner {

/// How long the remaining groups of points take. The points of a group are measured in interleaved rounds and
/// end together, so only whole groups show how far the estimate is off. Time between groups (ceilings,
/// starting a worker) does not count. Seconds on any steady clock.
class TimeLeft {
 public:
  /// `expected_s`: of all groups together.
  explicit TimeLeft(double expected_s) : ahead_s_(expected_s) {}

  /// A group that was expected to take so long begins or ends.
  void begin(double expected_s, double now_s);
  void end(double now_s);

  double left_s(double now_s) const;

 private:
  double ahead_s_;  ///< expected of the groups that have not begun
  double group_expected_s_ = 0;
  double group_began_s_ = 0;
  double done_expected_s_ = 0;
  double done_s_ = 0;
};

}  // namespace gemmlab::runner
