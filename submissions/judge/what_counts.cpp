#include "submissions/judge/what_counts.h"

#include <fmt/format.h>

#include "core/statistics.h"
#include "submissions/judge/timing/quiet_rounds.h"
#include "submissions/judge/timing/two_clocks.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {

std::string why_uncounted(const Timing& timing, const std::vector<Timing>& beside, const LeastTime& least) {
  constexpr std::size_t kFewest = 3;
  constexpr double kBeyondDoubt = 1.2;
  const std::string where = in_students_words(timing.shape);
  if (!timing.skipped.empty()) return fmt::format("at {} it was not timed: {}", where, timing.skipped);
  if (timing.samples_s.size() < kFewest)
    return fmt::format("at {} only {} of at least {} calls could be timed", where, timing.samples_s.size(),
                       kFewest);
  const TwoClocks own = two_clocks(timing);
  if (!own.agree() && !own.sometimes_agree())
    return fmt::format("at {} a call takes {}", where, own.in_words());
  for (const Timing& one : beside) {
    if (one.role != kLibrary || one.shape != timing.shape) continue;
    if (const TwoClocks clocks = two_clocks(one); !clocks.agree() || clocks.kept_waiting())
      return fmt::format("at {} something kept the GPU from {}, whose call takes {}", where, one.name,
                         clocks.in_words());
  }
  const double share = least.seconds / median(counted_samples(timing));
  if (share <= kBeyondDoubt) return {};
  return fmt::format(
      "at {} it is {:.1f} times faster than this machine's measured ceiling allows: do not believe this time "
      "before you have read the source",
      where, share);
}

}  // namespace gemmlab::submissions
