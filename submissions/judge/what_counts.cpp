#include "submissions/judge/what_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "submissions/judge/quiet_rounds.h"
#include "submissions/judge/shapes.h"

namespace gemmlab::submissions {
namespace {

/// The card's events, which a submission could forge, and the judge's clock, from which what surrounds a call was taken off,
/// should agree: else one of them does not show what the call took.
bool clocks_agree(const Timing& timing) {
  constexpr double kShare = 0.2;      // of the longer one
  constexpr double kAround_s = 4e-6;  // an event also waits for the launch of the kernel behind it
  constexpr double kUncertainties = 3;
  if (timing.events_s.empty()) return true;
  const double clock_s = median(timing.samples_s), events_s = median(timing.events_s);
  const double allowed_s = kShare * std::max(clock_s, events_s) + kAround_s + kUncertainties * timing.clock_s;
  return std::abs(clock_s - events_s) <= allowed_s;
}

std::string both_clocks(const Timing& timing) {
  return fmt::format("{:.3g} ms by the judge's clock, but {:.3g} ms by the card's events",
                     1e3 * median(timing.samples_s), 1e3 * median(timing.events_s));
}

}  // namespace

std::string why_uncounted(const Timing& timing, const std::vector<Timing>& beside, const LeastTime& least) {
  constexpr std::size_t kFewest = 3;
  constexpr double kBeyondDoubt = 1.2;
  const std::string where = in_students_words(timing.shape);
  if (!timing.skipped.empty()) return fmt::format("at {} it was not timed: {}", where, timing.skipped);
  if (timing.samples_s.size() < kFewest)
    return fmt::format("at {} only {} of at least {} calls could be timed", where, timing.samples_s.size(),
                       kFewest);
  if (!clocks_agree(timing)) return fmt::format("at {} a call takes {}", where, both_clocks(timing));
  for (const Timing& one : beside) {
    if (one.role == kLibrary && one.shape == timing.shape && !clocks_agree(one))
      return fmt::format("at {} something kept the GPU from {}, whose call takes {}", where, one.name,
                         both_clocks(one));
  }
  const double share = least.seconds / median(counted_samples(timing));
  if (share <= kBeyondDoubt) return {};
  return fmt::format(
      "at {} it is {:.1f} times faster than this machine's measured ceiling allows: do not believe this time "
      "before you have read the source",
      where, share);
}

}  // namespace gemmlab::submissions
