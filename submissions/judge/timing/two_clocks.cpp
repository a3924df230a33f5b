#include "submissions/judge/timing/two_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace gemmlab::submissions {

namespace {

/// What two times of a call may differ by.
double allowed_s(double longer_s, double uncertain_s) {
  constexpr double kShare = 0.2;
  constexpr double kAround_s = 4e-6;  // an event also waits for the launch of the kernel behind it
  constexpr double kUncertainties = 3;
  const double share_s = kShare * longer_s;
  // at most as much again: work left on the card makes the clock uncertain, too
  return share_s + kAround_s + std::min(kUncertainties * uncertain_s, share_s);
}

}  // namespace

bool TwoClocks::agree() const {
  return std::abs(clock_s - events_s) <= allowed_s(std::max(clock_s, events_s), uncertain_s);
}

bool TwoClocks::sometimes_agree() const {
  return clock_s > events_s &&
         std::abs(least_s - events_s) <= allowed_s(std::max(least_s, events_s), uncertain_s);
}

bool TwoClocks::slower_than_alone() const {
  return alone_s > 0 && clock_s - alone_s > allowed_s(clock_s, uncertain_s);
}

bool TwoClocks::kept_waiting() const {
  return (clock_s > events_s && !agree()) || slower_than_alone();
}

std::string TwoClocks::in_words() const {
  if (agree() && slower_than_alone())
    return fmt::format("{:.3g} ms, but {:.3g} ms before the submission had started", 1e3 * clock_s,
                       1e3 * alone_s);
  return fmt::format("{:.3g} ms by the judge's clock, but {:.3g} ms by the card's events", 1e3 * clock_s,
                     1e3 * events_s);
}

TwoClocks two_clocks(const Timing& timing) {
  if (timing.samples_s.empty()) return {};
  const double clock_s = median(timing.samples_s);
  return {clock_s, timing.events_s.empty() ? clock_s : median(timing.events_s), timing.clock_s,
          timing.alone_s, *std::min_element(timing.samples_s.begin(), timing.samples_s.end())};
}

}  // namespace gemmlab::submissions
