#include "submissions/sandbox/inner.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "submissions/sandbox/landlock.h"

namespace gemmlab::submissions {
namespace {

// Enough for a CUDA context on each GPU of a large machine.
constexpr rlim_t kOpenFiles = 1024;
/// What a compiler may have at once beyond the threads asked for: its driver, passes, assembler and linker.
constexpr long kProcessesOfACompiler = 64;

/// Both limits of a resource; never above what holds already. Signed and unsigned versions of the resource's
/// type exist, hence the template.
template <class Resource>
void set_limit(Resource resource, rlim_t value) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  const rlim_t most = std::min(value, now.rlim_max);
  const rlimit wanted{most, most};
  setrlimit(resource, &wanted);
}

bool can_start_a_process_under(rlim_t limit, rlim_t hard) {
  const rlimit trial{limit, hard};
  if (setrlimit(RLIMIT_NPROC, &trial) != 0) return false;
  const pid_t child = vfork();
  if (child == 0) _exit(0);
  if (child < 0) return false;
  int status = 0;
  waitpid(child, &status, 0);
  return true;
}

/// Private writable memory that this process has now.
std::int64_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmData:", 0) == 0) return std::atoll(line.c_str() + std::strlen("VmData:")) * 1024;
  }
  return 0;
}

}  // namespace

void no_core_dumps() {
  // one byte is too little for a file, and, unlike none, also keeps the kernel from starting a crash handler
  set_limit(RLIMIT_CORE, 1);
}

long counted_tasks() {
  rlimit before{};
  if (getrlimit(RLIMIT_NPROC, &before) != 0 || can_start_a_process_under(1, before.rlim_max)) {
    setrlimit(RLIMIT_NPROC, &before);
    return 0;
  }
  rlim_t refused = 1, enough = std::min<rlim_t>(before.rlim_max, rlim_t{1} << 22);
  while (enough - refused > 1) {
    const rlim_t middle = refused + (enough - refused) / 2;
    (can_start_a_process_under(middle, before.rlim_max) ? enough : refused) = middle;
  }
  setrlimit(RLIMIT_NPROC, &before);
  return static_cast<long>(refused);
}

InnerPart::InnerPart(const Confinement& confinement, const FilterRules& rules)
    : confinement_(confinement),
      landlock_version_(landlock_version()),
      landlock_(landlock_rules(confinement)),
      filter_(system_call_filter(rules)) {}

InnerPart::~InnerPart() {
  if (landlock_ >= 0) close(landlock_);
}

void InnerPart::limit(std::int64_t memory_now_bytes) const {
  // a write over the limit fails and says so; the signal would end the process without a word
  signal(SIGXFSZ, SIG_IGN);
  no_core_dumps();
  set_limit(RLIMIT_NOFILE, kOpenFiles);
  if (confinement_.file_bytes > 0) set_limit(RLIMIT_FSIZE, static_cast<rlim_t>(confinement_.file_bytes));
  if (confinement_.threads > 0) {
    const long more = confinement_.threads + (confinement_.processes ? kProcessesOfACompiler : 0);
    set_limit(RLIMIT_NPROC, static_cast<rlim_t>(counted_tasks() + more));
  }
  // not RLIMIT_AS: the CUDA driver and guard pages reserve address space without end
  if (confinement_.memory_bytes > 0)
    set_limit(RLIMIT_DATA, static_cast<rlim_t>(memory_now_bytes + confinement_.memory_bytes));
}

InnerPart::Held InnerPart::lock(bool all_threads) const {
  Held held;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return held;
  held.landlock = apply_landlock(landlock_, landlock_version_);
  held.filter = apply_filter(filter_, all_threads);
  return held;
}

void confine_self(const Confinement& confinement) {
  FilterRules rules;
  rules.processes = confinement.processes;
  rules.gpu = confinement.gpu;
  rules.self = getpid();
  const InnerPart inner(confinement, rules);
  inner.limit(data_bytes());
  inner.lock(true);
}

bool forbid_made_code() {
  return apply_filter(no_made_code_filter(), true);
}

bool forbid_new_code() {
  return apply_filter(no_new_code_filter(), true);
}

}  // namespace gemmlab::submissions
