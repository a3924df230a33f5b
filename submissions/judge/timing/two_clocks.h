#pragma once

// What a call on a GPU took by the judge's clock and by the card's events.

#include <string>

#include "submissions/judge/timing/timer.h"

namespace gemmlab::submissions {

struct TwoClocks {
  double clock_s = 0;      ///< by the host's clock, less what surrounds a call
  double events_s = 0;     ///< by CUDA events, which a submission could forge in its own process
  double uncertain_s = 0;  ///< how far clock_s may be off
  double alone_s = 0;      ///< by the host's clock, before any submission had started; 0: unknown
  double least_s = 0;      ///< of all samples by the clock

  /// False: one of them does not show what the call took.
  bool agree() const;
  /// The clock shows more, but not in the fastest sample: the host was held up in the others, and the interval of the times, from
  /// one to the other, says how little is known.
  bool sometimes_agree() const;
  /// Another process holds the card. The clock shows more than the events can account for, which stand still while it is not this
  /// process' turn (cuBLAS on an H200: 256 against 17 µs); or more than alone, where a turn ends in the middle of a call and both
  /// clocks show that (174 and 155 against 59 µs).
  bool kept_waiting() const;
  bool slower_than_alone() const;
  std::string in_words() const;
};

/// Medians of the samples; equal ones where there are no events.
TwoClocks two_clocks(const Timing& timing);

}  // namespace gemmlab::submissions
