#pragma once

// Which rounds count. A call that had to wait for a processor is no sample of its speed, and other programs do not hit all alike:
// a library with a thread per processor waits sooner than one thread does. A round is quiet for two where neither waited.

#include <cstddef>
#include <vector>

#include "submissions/judge/timing/timer.h"

namespace gemmlab::submissions {

/// Did that sample wait for more than a small share of its time? False where nobody looked (GPU).
bool disturbed(const Timing& timing, std::size_t sample);

/// Rounds that two took part in, as the time of `over` divided by that of `under`.
struct PairedRounds {
  std::vector<double> all;
  std::vector<double> quiet;        ///< those of `all` in which neither waited
  std::vector<double> least, most;  ///< parallel to `all`: had `over` not waited, or had `under` not
  std::size_t over_alone = 0;       ///< rounds in which `over` waited and `under` did not
  std::size_t under_alone = 0;      ///< the other way round

  /// Are the quiet ones enough to count alone: three, or all there are?
  bool enough_quiet() const;
  /// Does `under` wait in many rounds in which `over` does not? Nobody may choose samples by making itself wait.
  bool under_waits_alone() const;
  const std::vector<double>& counted() const { return enough_quiet() ? quiet : all; }
};
PairedRounds paired(const Timing& over, const Timing& under);

/// The samples that did not wait, where those are enough; else all.
std::vector<double> counted_samples(const Timing& timing);

}  // namespace gemmlab::submissions
