#include "submissions/sandbox/start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "submissions/sandbox/user.h"

namespace gemmlab::submissions {
namespace {

constexpr unsigned kCloseOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC

/// Where in the child something failed, and why.
struct StartFailure {
  const char* what;
  int error;
};

/// All that the child needs, made before the fork: after it nothing may be allocated.
struct Prepared {
  explicit Prepared(const ProcessStart& from) : launch(from) {
    for (const std::string& word : launch.command) argv.push_back(const_cast<char*>(word.c_str()));
    for (const auto& [name, value] : launch.environment) variables.push_back(name + "=" + value);
    for (std::string& variable : variables) envp.push_back(variable.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    for (const auto& [there, here] : launch.fds) first_free = std::max({first_free, there + 1, here + 1});
    first_free = std::max(first_free, launch.output + 1);
    copies.resize(launch.fds.size());
    for (const auto& pair : launch.fds) kept.push_back(pair.first);
    std::sort(kept.begin(), kept.end());
  }
  const ProcessStart& launch;
  std::vector<std::string> variables;
  std::vector<char*> argv, envp;
  std::vector<int> copies;  ///< of launch.fds, out of the way of the numbers wanted
  std::vector<int> kept;
  int first_free = 3;
  pid_t parent = getpid();
};

/// Closed when the program begins; until then its locks and its own file are still needed.
void close_later(unsigned first, unsigned last) {
  if (first > last || syscall(SYS_close_range, first, last, kCloseOnExec) == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (unsigned fd = first; fd <= last && fd < limit.rlim_cur; ++fd)
    fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
}

/// Puts every descriptor at its number, below `report`; the rest closes when the program begins.
bool place_fds(Prepared& plan, int report) {
  const auto& fds = plan.launch.fds;
  for (std::size_t i = 0; i < fds.size(); ++i) {
    plan.copies[i] = fcntl(fds[i].second, F_DUPFD, report + 1);
    if (plan.copies[i] < 0) return false;
  }
  const int output = fcntl(plan.launch.output, F_DUPFD, report + 1);
  const int nothing = open("/dev/null", O_RDONLY);
  if (output < 0 || nothing < 0) return false;
  if (dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) return false;
  for (std::size_t i = 0; i < fds.size(); ++i) {
    if (dup2(plan.copies[i], fds[i].first) < 0) return false;
  }
  unsigned next = 3;
  for (const int fd : plan.kept) {
    if (fd < 3) continue;
    close_later(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  close_later(next, ~0u);
  return true;
}

void forget_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void fail(int report, const char* what) {
  const StartFailure failure{what, errno};
  (void)!write(report, &failure, sizeof failure);
  _exit(127);
}

[[noreturn]] void become_the_program(Prepared& plan, int report) {
  const ProcessStart& launch = plan.launch;
  forget_signals();
  setsid();
  if (!place_fds(plan, report)) fail(report, "its file descriptors");
  // opened while we may: folders above the program need not let another user through
  const int program = open(plan.argv[0], O_RDONLY | O_CLOEXEC);
  if (program < 0) fail(report, plan.argv[0]);
  if (!launch.folder.empty() && chdir(launch.folder.c_str()) != 0) fail(report, launch.folder.c_str());
  no_core_dumps();
  if (launch.user != 0 && !become(launch.user)) fail(report, "becoming another user");
  // after the change of user, which forgets it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);
  if (launch.limits != nullptr) launch.limits->limit(0);
  if (launch.locks != nullptr) launch.locks->lock(false);
  execve(plan.argv[0], plan.argv.data(), plan.envp.data());
  if (errno == EACCES) syscall(SYS_execveat, program, "", plan.argv.data(), plan.envp.data(), AT_EMPTY_PATH);
  fail(report, plan.argv[0]);
}

}  // namespace

pid_t start(const ProcessStart& launch) {
  Prepared plan(launch);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  const int report = fcntl(ends[1], F_DUPFD_CLOEXEC, plan.first_free);
  close(ends[1]);
  const pid_t child = report < 0 ? -1 : fork();
  if (child == 0) become_the_program(plan, report);
  const int error = errno;
  close(report);
  StartFailure failure{};
  ssize_t length = 0;
  if (child > 0) {
    do {
      length = read(ends[0], &failure, sizeof failure);
    } while (length < 0 && errno == EINTR);
  }
  close(ends[0]);
  if (child < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(error));
  if (length == static_cast<ssize_t>(sizeof failure)) {
    waitpid(child, nullptr, 0);
    // the child had our memory: its pointers are ours
    throw std::runtime_error("cannot run " + launch.command[0] + ": " + failure.what + ": " +
                             std::strerror(failure.error));
  }
  return child;
}

int wait_or_kill(pid_t process, int limit_ms) {
  int status = 0;
  for (int waited_ms = 0; waited_ms < limit_ms; ++waited_ms) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process || (ended < 0 && errno != EINTR)) return status;
    usleep(1000);
  }
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  return status;
}

}  // namespace gemmlab::submissions
