#pragma once

// The inner part of the sandbox: permanent limits that a process sets on itself.

#include <linux/filter.h>

#include <cstdint>
#include <vector>

#include "submissions/sandbox/sandbox.h"
#include "submissions/sandbox/seccomp.h"

namespace gemmlab::submissions {

/// All that is needed to apply it, made beforehand: between fork and exec nothing may be allocated.
class InnerPart {
 public:
  InnerPart(const Confinement& confinement, const FilterRules& rules);
  ~InnerPart();
  InnerPart(const InnerPart&) = delete;
  InnerPart& operator=(const InnerPart&) = delete;

  /// Memory (over `memory_now_bytes`), file size, open files, threads, no core dumps. Async-signal-safe.
  void limit(std::int64_t memory_now_bytes) const;
  struct Held {
    bool landlock = false;
    bool filter = false;
  };
  /// No new privileges, Landlock, seccomp. Async-signal-safe.
  Held lock(bool all_threads) const;

  const std::vector<sock_filter>& filter() const { return filter_; }

 private:
  Confinement confinement_;
  int landlock_version_;
  int landlock_;
  std::vector<sock_filter> filter_;
};

/// Neither a file nor a call of the machine's crash handler. Async-signal-safe.
void no_core_dumps();

/// Processes and threads of our user that count against RLIMIT_NPROC: 0 where that limit does not hold for us
/// (root). The kernel counts by user and user namespace, over all of the machine, and shows that nowhere:
/// found by trying under which limit a process can still be made. Async-signal-safe.
long counted_tasks();

}  // namespace gemmlab::submissions
