#include "submissions/judge/timing/ratios.h"

#include <algorithm>
#include <cmath>

#include "submissions/judge/timing/quiet_rounds.h"

namespace gemmlab::submissions {
namespace {

constexpr double kDecision = 0.99;  ///< the confidence by which differences are declared

/// The interval, wider by the relative uncertainty of the clock in both times.
std::optional<Interval> widened(std::optional<Interval> interval, const Timing& over, const Timing& under) {
  if (!interval) return interval;
  const double share = over.clock_s / median(over.samples_s) + under.clock_s / median(under.samples_s);
  return Interval{interval->low / (1 + share), interval->high * (1 + share)};
}

/// The rounds that count for a share of the library's speed; says which they are.
const std::vector<double>& ratios_that_count(const PairedRounds& pairs, Timing& timing) {
  timing.quiet.reset();
  if (timing.waited_s.empty() || pairs.all.empty()) return pairs.all;
  timing.quiet_rounds = static_cast<int>(pairs.quiet.size());
  timing.waits_alone = timing.role == kSubmission && pairs.under_waits_alone();
  const bool flattered =
      timing.waits_alone && pairs.enough_quiet() && median(pairs.quiet) > median(pairs.all);
  timing.quiet = pairs.enough_quiet() && !flattered;
  return *timing.quiet ? pairs.quiet : pairs.all;
}

}  // namespace

void compare_with_library(std::vector<Timing>& timings, double settled) {
  const auto library =
      std::find_if(timings.begin(), timings.end(), [](const Timing& one) { return one.role == kLibrary; });
  if (library == timings.end()) return;
  for (Timing& timing : timings) {
    const PairedRounds pairs = paired(*library, timing);
    const std::vector<double>& ratios = ratios_that_count(pairs, timing);
    if (ratios.empty()) continue;
    timing.of_library = median(ratios);
    timing.of_library_ci95 = widened(median_interval(ratios), *library, timing);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    const Interval supported = timing.of_library_ci95.value_or(Interval{*least, *most});
    timing.of_library_low = supported.low;
    timing.of_library_high = supported.high;
    if (timing.quiet == false && timing.role != kLibrary) {
      timing.of_library_low = std::min(supported.low, median(pairs.least));
      timing.of_library_high = std::max(supported.high, median(pairs.most));
    }
    if (timing.role == kSubmission) timing.settled = relative_half_width(ratios) <= settled;
  }
}

namespace {

constexpr double kOfFewRounds = 2;  ///< by which the ends that few rounds support are moved apart

/// The last step of the full share that a speed reaches. As in pages/speed_marks.py, which gives the points.
int band_of(double share, double full, int bands) {
  constexpr double kAlmost = 1e-9;
  return static_cast<int>(std::floor(bands * std::clamp(share / full, 0.0, 1.0) + kAlmost));
}

const Timing* found(const std::vector<Timing>& timings, const Shape& shape, const GradedShare& share) {
  const bool library = share.reference == kLibrary;
  for (const Timing& one : timings) {
    if (one.shape == shape && one.of_library > 0 &&
        (library ? one.role == kLibrary : one.name == share.reference))
      return &one;
  }
  return nullptr;
}

}  // namespace

void settle_by_bands(std::vector<Timing>& timings, const std::vector<Timing>& ladder, const Rule& rule,
                     const Device& device) {
  if (!rule.grading) return;
  std::vector<GradedShare> shares = rule.grading->shares;
  std::erase_if(
      shares, [&](const GradedShare& share) { return !share.device.empty() && share.device != device.name; });
  if (shares.empty()) return;
  const int bands = rule.grading->bands;
  for (Timing& own : timings) {
    if (own.role != kSubmission || !own.settled) continue;
    bool graded = false, within = bands > 0;
    for (const GradedShare& share : shares) {
      if (share.shape != own.shape) continue;
      graded = true;
      const Timing* reference = found(timings, own.shape, share);
      if (reference == nullptr) reference = found(ladder, own.shape, share);
      if (reference == nullptr) continue;  // no points, however fast
      const double low = reference->of_library_low > 0 ? reference->of_library_low : reference->of_library;
      const double high = std::max(reference->of_library_high, reference->of_library);
      // too few rounds for an interval: slow calls, which are mostly far from any band's edge
      const double more = own.of_library_ci95 ? 1 : kOfFewRounds;
      within = within && band_of(own.of_library_low / more, share.full * high, bands) ==
                             band_of(own.of_library_high * more, share.full * low, bands);
    }
    if (!graded) own.settled.reset();
    if (graded && within) own.settled = true;
  }
}

double times_as_fast(const Timing& one, const Timing& other) {
  if (one.of_library > 0 && other.of_library > 0) return one.of_library / other.of_library;
  return median(other.samples_s) / median(one.samples_s);
}

std::optional<TwinPair> twin_pair(const Timing& submission, const Timing& twin) {
  const std::vector<double> ratios = paired(submission, twin).counted();
  if (ratios.empty()) return {};
  TwinPair pair{std::abs(median(ratios) - 1), 0};
  if (const auto interval = median_interval(ratios, kDecision))
    pair.beyond = std::max({interval->low - 1, 1 - interval->high, 0.0});
  return pair;
}

std::optional<double> noise_floor(const std::vector<TwinPair>& pairs) {
  if (pairs.empty()) return {};
  std::vector<double> apart;
  double beyond = 0;
  for (const TwinPair& pair : pairs) {
    apart.push_back(pair.apart);
    beyond = std::max(beyond, pair.beyond);
  }
  return std::max(median(apart), beyond);
}

}  // namespace gemmlab::submissions
