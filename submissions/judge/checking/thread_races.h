#pragma once

// Do threads of a CPU hand-in use one place in memory without an order between them?

#include <optional>
#include <string>

#include "submissions/judge/failures/failure.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

/// Runs the hand-in's `program` (build/thread_program.h) at a few small shapes, confined, in a new folder in `work`; some seconds at
/// most. Nothing where no race is reported, and where ThreadSanitizer cannot run. `shared`: which variable that may be, or empty.
std::optional<Failure> race_of_threads(const std::string& program, const std::string& work,
                                       const Limits& limits, const std::string& shared);

/// The same of what ThreadSanitizer has printed.
std::optional<Failure> race_told(const std::string& output, const std::string& shared);

}  // namespace gemmlab::submissions
