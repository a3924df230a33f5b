// What holds a confined process, in words, found by trying.

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "submissions/sandbox/bubblewrap.h"
#include "submissions/sandbox/inner.h"
#include "submissions/sandbox/landlock.h"
#include "submissions/sandbox/sandbox.h"
#include "submissions/sandbox/user.h"

namespace gemmlab::submissions {
namespace {

struct Found {
  bool user = false;
  bool landlock = false;
  bool filter = false;
  bool threads = false;
};

/// Does to a process that then ends what the inner part does to a confined one.
Found found_by_trying() {
  Confinement confinement;
  confinement.scratch = "/";
  FilterRules rules;
  const InnerPart inner(confinement, rules);
  const uid_t user = spare_user();
  const pid_t child = fork();
  if (child == 0) {
    const bool became = become(user);
    const bool limited = counted_tasks() > 0;
    const InnerPart::Held held = inner.lock(false);
    const bool no_network = held.filter && socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EACCES;
    _exit(became | held.landlock << 1 | no_network << 2 | limited << 3);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return {};
  const int bits = WEXITSTATUS(status);
  const auto bit = [bits](int place) { return (bits >> place & 1) != 0; };
  return {bit(0), bit(1), bit(2), bit(3)};
}

std::string mebibytes(std::int64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

void name_limits(const Confinement& confinement, bool threads_hold, Isolation& isolation) {
  std::string limits;
  const auto add = [&limits](const std::string& text) {
    limits += (limits.empty() ? "limits: " : ", ") + text;
  };
  if (confinement.memory_bytes > 0) add(mebibytes(confinement.memory_bytes) + " of memory");
  if (confinement.file_bytes > 0) add("files of " + mebibytes(confinement.file_bytes));
  if (confinement.threads > 0 && threads_hold)
    add(std::to_string(confinement.threads) +
        (confinement.processes ? " threads (and the compiler's processes)" : " threads"));
  if (!limits.empty()) isolation.holds.push_back(limits);
  if (confinement.threads > 0 && !threads_hold)
    isolation.missing.push_back("a limit on threads (root's are not counted, and no other user can be had)");
}

void name_locks(const Confinement& confinement, bool wrapped, const Found& found, Isolation& isolation) {
  // Landlock lets nobody mount, so bubblewrap cannot start under it, and a compiler does not lock itself in
  if (!(wrapped && confinement.processes)) {
    if (found.landlock) {
      isolation.holds.push_back(confinement.bare
                                    ? "Landlock: writes nowhere, reads its own library and the system's"
                                    : "Landlock: writes only into its scratch folder");
    } else {
      isolation.missing.push_back("Landlock (the kernel has none, or has it switched off)");
    }
  }
  if (found.filter) {
    isolation.holds.push_back(confinement.processes
                                  ? "seccomp: no network, no tracing"
                                  : "seccomp: no network, no processes, no signals to others");
  } else {
    isolation.missing.push_back("seccomp (the kernel has none, or not for this processor)");
  }
}

}  // namespace

Isolation isolation(const Confinement& confinement) {
  static const Found found = found_by_trying();
  const Bubblewrap with = bubblewrap();
  const bool wrapped = !with.path.empty();
  const bool root = geteuid() == 0;
  Isolation isolation;
  if (found.user) {
    isolation.holds.push_back("an unprivileged user of its own");
  } else {
    isolation.missing.push_back(root ? "an unprivileged user (root may become no other here)"
                                     : "a user of its own (only root can make one up)");
  }
  if (wrapped) {
    isolation.holds.push_back(
        confinement.bare ? "bubblewrap: own namespaces, no network, no file but the system's libraries"
                         : "bubblewrap: own namespaces, no network, file system read-only");
  } else {
    isolation.missing.push_back(with.why_not);
    isolation.missing.push_back("a network namespace");
    isolation.missing.push_back("a file system of its own: what the user may read, it may read");
  }
  name_locks(confinement, wrapped, found, isolation);
  name_limits(confinement, found.threads, isolation);
  return isolation;
}

}  // namespace gemmlab::submissions
