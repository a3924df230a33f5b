#pragma once

// Is it worth while to measure a shape again?

#include <vector>

#include "submissions/judge/timer.h"

namespace gemmlab::submissions {

enum class Wanting { kNothing, kNarrower, kQuiet };

/// What the times at a shape want, once they have been compared with the library's. `rungs`: parallel, whether one is a rung that
/// is timed again.
Wanting wanting_of(const std::vector<Timing>& timings, const std::vector<bool>& rungs);

}  // namespace gemmlab::submissions
