#include "submissions/judge/timing/worth_repeating.h"

namespace gemmlab::submissions {

Missing what_is_missing(const std::vector<Timing>& timings, const std::vector<bool>& rungs) {
  Missing missing = Missing::kNothing;
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const Timing& one = timings[i];
    const bool loose = one.settled == false;
    const bool waited = one.quiet && one.quiet_rounds < static_cast<int>(one.samples_s.size());
    const bool too_few = (one.settled || rungs[i]) && one.quiet == false;
    if ((too_few || (loose && waited)) && !one.waits_alone) return Missing::kQuiet;
    if (loose) missing = Missing::kNarrower;
  }
  return missing;
}

}  // namespace gemmlab::submissions
