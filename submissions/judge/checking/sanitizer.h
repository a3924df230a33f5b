#pragma once

// compute-sanitizer over a GPU submission: reads outside allocations (memcheck) and shared memory used by two
// threads without a barrier between (racecheck), which no look at C can prove.

#include <string>
#include <vector>

#include "submissions/judge/failures/failure.h"
#include "submissions/judge/processes/callee_process.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

struct SanitizerResult {
  std::vector<std::string> ran;      ///< "memcheck", "racecheck"
  std::vector<std::string> missing;  ///< with the reason
  std::vector<std::string>
      findings;  ///< in the tool's words, each once, with the student's line where it tells
  std::vector<Failure> failures;
};

/// Runs both tools over some small shapes. `setup` as for checks.
SanitizerResult sanitize(const CalleeSetup& setup, const Limits& limits);

/// What a tool's log says: each finding on one line, "Invalid __global__ read of size 4 bytes at kernel
/// my_kernel.cu:12". The first 20.
std::vector<std::string> findings_in(const std::string& log);

}  // namespace gemmlab::submissions
