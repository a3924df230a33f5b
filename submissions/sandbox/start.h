#pragma once

// Starts one process with given file descriptors and nothing else of this process.

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "submissions/sandbox/inner.h"

namespace gemmlab::submissions {

struct ProcessStart {
  std::vector<std::string> command;  ///< path of the program, and its arguments
  std::map<std::string, std::string> environment;
  std::vector<std::pair<int, int>> fds;  ///< (number there, number here), with no number there twice
  int output = -1;                       ///< standard output and error
  uid_t user = 0;                        ///< become this one; 0: stay
  std::string folder;                    ///< working folder; empty: as we
  const InnerPart* limits = nullptr;     ///< laid upon it before it starts
  const InnerPart* locks = nullptr;      ///< likewise
};

/// Its process id: it leads a session of its own, and is killed when the calling thread ends. Throws
/// std::runtime_error where the program cannot be run.
pid_t start(const ProcessStart& launch);

/// Waits for the end, at most so long, then kills it. Exit status as of waitpid.
int wait_or_kill(pid_t process, int limit_ms);

}  // namespace gemmlab::submissions
