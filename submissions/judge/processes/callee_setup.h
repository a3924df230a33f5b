#pragma once

// How a callee is told what it is.

#include <map>
#include <string>

#include "submissions/judge/processes/callee_process.h"

namespace gemmlab::submissions {

/// The callee's environment: of the user's variables only those by which libraries are found and threads are set.
std::map<std::string, std::string> environment_of(const CalleeSetup& setup);

/// The first message, as JSON.
std::string told_at_start(const CalleeSetup& setup);

}  // namespace gemmlab::submissions
