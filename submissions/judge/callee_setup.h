#pragma once

// How a callee is told what it is.

#include <map>
#include <string>

#include "submissions/judge/callee_process.h"

namespace gemmlab::submissions {

/// Nothing of the user's own variables but what libraries are found by and threads are set with.
std::map<std::string, std::string> environment_of(const CalleeSetup& setup);

/// The first message, as JSON.
std::string told_at_start(const CalleeSetup& setup);

}  // namespace gemmlab::submissions
