#pragma once

// Says what an author could do to make a kernel faster.

#include <string>
#include <vector>

#include "submissions/judge/explaining/counters.h"

namespace gemmlab::submissions {

struct Advice {
  std::string title;
  std::string text;
};

/// Advice from the hardware counters of a submission. Empty where nothing was counted.
std::vector<Advice> advice_from(const Counters& counters);

}  // namespace gemmlab::submissions
