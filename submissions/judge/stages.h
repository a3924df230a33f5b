#pragma once

// What the two stages of a judgement share: judge.cpp checks, time_stage.cpp times.

#include <string>
#include <vector>

#include "submissions/judge/judge.h"

namespace gemmlab::submissions {

inline constexpr int kThreadsMore = 16;  ///< beside those for each processor

void tell(const Surroundings& surroundings, const std::string& doing);

Confinement confinement_of(const Limits& limits, const std::string& scratch, const Surroundings& surroundings,
                           bool gpu);

/// How a process of the submission is made.
CalleeSetup setup_of(const Judgement& judgement, const Built& built, const Rule& rule,
                     const Surroundings& surroundings);

/// Nothing is known but less precision.
bool right_so_far(const Judgement& judgement);

/// Libraries that were opened at run time are a failure, or a note where the rule allows them.
void opened_library(Judgement& judgement, const Rule& rule, const std::vector<std::string>& opened);

/// The verdict that follows from what is known by now.
void conclude(Judgement& judgement, const Surroundings& surroundings);

std::string summary_of(const Judgement& judgement);

}  // namespace gemmlab::submissions
