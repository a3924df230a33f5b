#include "submissions/judge/timing/quiet_rounds.h"

#include <algorithm>

namespace gemmlab::submissions {
namespace {

constexpr std::size_t kFewestQuiet =
    3;  ///< too few for an interval: what they support is then the worst of them

bool enough(std::size_t quiet, std::size_t all) {
  return quiet >= std::min(kFewestQuiet, all);
}

/// Threads wait beside each other, so that a call is lengthened by what they wait together at most.
double least_time_s(const Timing& timing, std::size_t sample) {
  constexpr double kAtLeast = 0.05;  // of a time that was waited away
  const double time_s = timing.samples_s[sample];
  const double waited_s = timing.waited_s.empty() ? 0 : timing.waited_s[sample];
  return std::max(time_s - waited_s, kAtLeast * time_s);
}

}  // namespace

bool disturbed(const Timing& timing, std::size_t sample) {
  constexpr double kShare = 0.02;
  constexpr double kWaking_s =
      100e-6;  // waking, stopping and answering: an empty call waits for about half of this
  if (timing.waited_s.empty()) return false;
  return timing.waited_s[sample] > kWaking_s + kShare * timing.samples_s[sample];
}

bool PairedRounds::enough_quiet() const {
  return enough(quiet.size(), all.size());
}

bool PairedRounds::under_waits_alone() const {
  return 3 * under_alone > all.size() && under_alone > 2 * over_alone;
}

PairedRounds paired(const Timing& over, const Timing& under) {
  PairedRounds pairs;
  for (std::size_t i = 0; i < under.samples_s.size(); ++i) {
    const auto same = std::find(over.rounds.begin(), over.rounds.end(), under.rounds[i]);
    if (same == over.rounds.end()) continue;
    const auto j = static_cast<std::size_t>(same - over.rounds.begin());
    pairs.all.push_back(over.samples_s[j] / under.samples_s[i]);
    pairs.least.push_back(least_time_s(over, j) / under.samples_s[i]);
    pairs.most.push_back(over.samples_s[j] / least_time_s(under, i));
    const bool over_waited = disturbed(over, j), under_waited = disturbed(under, i);
    if (!over_waited && !under_waited) pairs.quiet.push_back(pairs.all.back());
    pairs.over_alone += over_waited && !under_waited ? 1 : 0;
    pairs.under_alone += under_waited && !over_waited ? 1 : 0;
  }
  return pairs;
}

std::vector<double> counted_samples(const Timing& timing) {
  std::vector<double> quiet;
  for (std::size_t i = 0; i < timing.samples_s.size(); ++i) {
    if (!disturbed(timing, i)) quiet.push_back(timing.samples_s[i]);
  }
  return enough(quiet.size(), timing.samples_s.size()) ? quiet : timing.samples_s;
}

}  // namespace gemmlab::submissions
