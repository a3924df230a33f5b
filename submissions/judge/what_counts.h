#pragma once

// Whether a mark may hang on a time.

#include <string>
#include <vector>

#include "submissions/judge/judge.h"
#include "submissions/judge/timing/timer.h"

namespace gemmlab::submissions {

/// Why the submission's times at a shape earn nothing; empty: they count. Too few calls say too little. On a GPU, where two
/// clocks disagree, one does not show what the call took; where they do of the library `beside` it, which is the measure,
/// something kept the card from it. Above what the machine can do, the ceiling, the clock or the submission is wrong, and
/// a person has to look.
std::string why_uncounted(const Timing& timing, const std::vector<Timing>& beside, const LeastTime& least);

}  // namespace gemmlab::submissions
