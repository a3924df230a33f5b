#pragma once

// Who had to wait for a processor. The kernel counts for each thread how long it was ready to run but did not: a call that waited
// for other programs is no sample of its own speed. What processors share besides (frequency, caches, the memory's bandwidth)
// does not show here.

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <thread>

namespace gemmlab::submissions {

/// Of one thread, since it began.
struct Turns {
  double ran_s = 0;
  double waited_s = 0;  ///< ready to run, without a processor
};

/// What the kernel says at a moment at which a process stands still.
struct SchedulerLook {
  std::map<int, Turns> threads;  ///< of that process, by their ids
  double cpu_s = 0;              ///< that all its threads ran, with those that have ended
  double judge_waited_s = 0;     ///< the calling thread, which reads the clock
  double stolen_s = 0;           ///< taken by other virtual machines, of an average processor
  std::optional<double>
      anybody_waited_s;  ///< time in which someone in the whole system did; empty where the kernel does not tell
};

/// `proc`: the folder of the kernel's files.
SchedulerLook look_at_scheduler(pid_t process, const std::string& proc = "/proc");

/// Seconds between two looks, `wall_s` apart, that threads which take part in the work of the process waited, all together, and
/// that the judge did. Threads that began and ended in between are in no file: where some worked, the time in which anybody waited
/// counts. At most what the process left of the processors: where it has more threads than there are, they wait for each other.
double waited_s(const SchedulerLook& before, const SchedulerLook& after, double wall_s,
                unsigned processors = std::thread::hardware_concurrency());

}  // namespace gemmlab::submissions
