#include "submissions/judge/priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace gemmlab::submissions {
namespace {

constexpr int kHighest = -20;

bool shared_by_sessions(const std::string& proc) {
  std::ifstream file(proc + "/sys/kernel/sched_autogroup_enabled");
  int enabled = 0;
  return (file >> enabled) && enabled != 0;
}

}  // namespace

bool raise_own_priority() {
  const bool alone = getsid(0) == getpid() || setsid() >= 0;
  if (!alone || !raise_session_of(getpid())) return false;
  return setpriority(PRIO_PROCESS, 0, kHighest) == 0;
}

bool raise_session_of(pid_t process, const std::string& proc) {
  if (!shared_by_sessions(proc)) return true;
  std::ofstream file(proc + "/" + std::to_string(process) + "/autogroup");
  file << kHighest << std::flush;
  return file.good();
}

}  // namespace gemmlab::submissions
