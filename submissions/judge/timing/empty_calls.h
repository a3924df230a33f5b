#pragma once

// What the judge's clock shows of a call in which nothing is done: a message there, a message back, and the stop of all
// threads. Taken from every time.

#include <memory>
#include <vector>

#include "submissions/judge/processes/callee_process.h"

namespace gemmlab::submissions {

inline constexpr useconds_t kThreadsSleep_us = 3000;  ///< threads of ours that still look for work take cores

/// A process that no submitted code has ever been in, with as many idle threads as a product has, and its calls.
class EmptyCalls {
 public:
  /// `like`: how a submission is set up; `raised`: at a real-time priority (priority.h), as this process is already.
  /// Throws std::runtime_error where the process does not start.
  explicit EmptyCalls(const CalleeSetup& like, bool raised = false);
  /// Some calls more, among those that are timed.
  void take(int calls);

  /// A time by the clock less an empty call's; never below a tenth of it, and never 0.
  double less(double clock_s) const;
  /// So uncertain is what was taken off: from there to the middle of all empty calls.
  double uncertain_s() const;

 private:
  CalleeProcess process_;
  std::vector<double> samples_s_;
};

}  // namespace gemmlab::submissions
