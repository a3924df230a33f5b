#pragma once

// Is it worth while to measure a shape again?

#include <vector>

#include "submissions/judge/timing/timer.h"

namespace gemmlab::submissions {

enum class Missing { kNothing, kNarrower, kQuiet };

/// What is missing before the times at a shape can be judged: nothing, narrower intervals, or a quiet machine. They have been compared
/// with the library's before. `rungs`: for each timing, whether it is of a rung of the ladder that is timed again.
Missing what_is_missing(const std::vector<Timing>& timings, const std::vector<bool>& rungs);

}  // namespace gemmlab::submissions
