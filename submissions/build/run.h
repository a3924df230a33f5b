#pragma once

// Runs one confined program of a build, and collects what it prints.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "submissions/sandbox/sandbox.h"

namespace gemmlab::submissions {

/// What is kept of an output, in bytes.
inline constexpr std::size_t kMostOutput = 1 << 20;

struct Finished {
  bool timed_out = false;
  int wait_status = 0;  ///< as of waitpid
  std::string output;   ///< standard output and error; the first MiB

  bool ok() const { return !timed_out && wait_status == 0; }
};

/// Throws std::runtime_error where the program cannot be confined or started.
Finished run_confined(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const Confinement& confinement,
                      std::chrono::steady_clock::time_point deadline);

}  // namespace gemmlab::submissions
