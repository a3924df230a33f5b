#pragma once

#include <time.h>

#include <chrono>

namespace gemmlab::test {

/// Keeps the calling thread busy until it has used this much CPU time, however long other processes keep it
/// waiting: by the wall clock, a thread on a loaded machine may work for no time at all.
inline void work_for(std::chrono::nanoseconds cpu_time) {
  const auto used = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  for (const auto end = used() + cpu_time; used() < end;) {
  }
}

}  // namespace gemmlab::test
