#include "submissions/judge/priority.h"

#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <string>

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
  std::error_code gone;
  bool all = true;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone))
    all = raise(std::atoi(task->path().filename().c_str()), SCHED_RR, kTimed) && all;
  return all && !gone;
}

}  // namespace gemmlab::submissions
