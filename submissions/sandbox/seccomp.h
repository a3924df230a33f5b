#pragma once

// The seccomp part of the sandbox: which system calls a confined process may make.

#include <linux/filter.h>
#include <sys/types.h>

#include <vector>

namespace gemmlab::submissions {

struct FilterRules {
  bool processes = false;      ///< may start programs
  bool gpu = false;            ///< shared anonymous memory stays allowed: the CUDA driver needs it
  bool own_processes = false;  ///< sees none but its own processes (a pid namespace), so any may be signalled
  pid_t self = 0;              ///< the one process that may be signalled; 0: none
};

/// A seccomp-BPF program for this architecture, by libseccomp. Throws std::runtime_error where that knows
/// none.
std::vector<sock_filter> system_call_filter(const FilterRules& rules);

/// Refuses memory from which code could run unless a file is mapped there: a library can still be loaded, and neither
/// its constructors nor anything of it can make code. Throws as above.
std::vector<sock_filter> no_made_code_filter();

/// Refuses memory from which code could run: once it holds, no further library can be mapped. Throws as
/// above.
std::vector<sock_filter> no_new_code_filter();

/// Holds the calling process to `filter` with all its threads (`all_threads`) or, where that is refused or
/// not asked for, the calling thread. no_new_privs must be set. Async-signal-safe, unlike seccomp_load().
bool apply_filter(const std::vector<sock_filter>& filter, bool all_threads);

}  // namespace gemmlab::submissions
