#include "submissions/judge/processes/priority.h"

#include <sched.h>

#include <vector>

#include "submissions/judge/processes/process_state.h"

namespace gemmlab::submissions {
namespace {

constexpr int kTimed = 1, kJudge = 2;

bool several_processors() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) > 1;
}

bool raise(pid_t thread, int policy, int priority) {
  sched_param wanted{};
  wanted.sched_priority = priority;
  return sched_setscheduler(thread, policy, &wanted) == 0;
}

}  // namespace

bool raise_own_priority() {
  return several_processors() && raise(0, SCHED_RR | SCHED_RESET_ON_FORK, kJudge);
}

bool raise_priority_of(pid_t process) {
  const std::vector<pid_t> threads = threads_of(process);
  bool all = !threads.empty();
  for (const pid_t thread : threads) all = raise(thread, SCHED_RR, kTimed) && all;
  return all;
}

}  // namespace gemmlab::submissions
