#include "submissions/judge/two_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace gemmlab::submissions {

bool TwoClocks::agree() const {
  constexpr double kShare = 0.2;      // of the longer one
  constexpr double kAround_s = 4e-6;  // an event also waits for the launch of the kernel behind it
  constexpr double kUncertainties = 3;
  const double share_s = kShare * std::max(clock_s, events_s);
  // at most as much again: work left on the card makes the clock uncertain, too
  const double allowed_s = share_s + kAround_s + std::min(kUncertainties * uncertain_s, share_s);
  return std::abs(clock_s - events_s) <= allowed_s;
}

bool TwoClocks::kept_waiting() const {
  return clock_s > events_s && !agree();
}

std::string TwoClocks::in_words() const {
  return fmt::format("{:.3g} ms by the judge's clock, but {:.3g} ms by the card's events", 1e3 * clock_s,
                     1e3 * events_s);
}

TwoClocks two_clocks(const Timing& timing) {
  if (timing.samples_s.empty()) return {};
  const double clock_s = median(timing.samples_s);
  return {clock_s, timing.events_s.empty() ? clock_s : median(timing.events_s), timing.clock_s};
}

}  // namespace gemmlab::submissions
