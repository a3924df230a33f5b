#pragma once

// Compares a hand-in's times with those of the library, round by round.

#include <optional>
#include <vector>

#include "submissions/judge/timing/timer.h"

namespace gemmlab::submissions {

/// Fills of_library of all timings at one shape by the rounds that count (quiet_rounds.h), and says of the submission's whether
/// the half-width of its interval is at most `settled` of it. A submission that waits where the library does not is no faster
/// than by all its rounds.
void compare_with_library(std::vector<Timing>& timings, double settled);

/// Where marks hang on bands, what matters is whether a repeat could move one: the submission's speed is settled, too, where its
/// interval lies within one band of each share that the rule grades at this shape; where the rule grades other shapes alone,
/// `settled` is emptied. After compare_with_library(). `ladder`: timed before, at any shape, besides what stands in `timings`.
void settle_by_bands(std::vector<Timing>& timings, const std::vector<Timing>& ladder, const Rule& rule,
                     const Device& device);

/// How many times as fast one is as another at the same shape: through the library where both were timed beside it, since
/// the ladder of a class is timed once, and the machine may have been slower then.
double times_as_fast(const Timing& one, const Timing& other);

/// How far two timings of the same code in the same rounds differ.
struct TwinPair {
  double apart = 0;   ///< |median ratio - 1|
  double beyond = 0;  ///< how far its 99 % interval keeps from 1
};
std::optional<TwinPair> twin_pair(const Timing& submission, const Timing& twin);

/// The larger of the median of `apart` and the largest of `beyond`, as in records/noise.py. Empty without a
/// pair.
std::optional<double> noise_floor(const std::vector<TwinPair>& pairs);

}  // namespace gemmlab::submissions
