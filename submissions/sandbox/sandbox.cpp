#include "submissions/sandbox/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "submissions/sandbox/bubblewrap.h"
#include "submissions/sandbox/seccomp.h"
#include "submissions/sandbox/start.h"
#include "submissions/sandbox/user.h"

namespace gemmlab::submissions {
namespace {

constexpr int kEnd_ms = 10000;
constexpr int kSignalled = 128;  // bubblewrap's exit code for a signal, less its number

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

/// The filter as bubblewrap reads it.
int filter_file(const std::vector<sock_filter>& filter) {
  const int fd = memfd_create("gemmlab-filter", MFD_CLOEXEC);
  const std::size_t bytes = filter.size() * sizeof(sock_filter);
  if (fd < 0 || write(fd, filter.data(), bytes) != static_cast<ssize_t>(bytes) || lseek(fd, 0, SEEK_SET) != 0)
    throw std::runtime_error(std::string("cannot hand on the system call filter: ") + std::strerror(errno));
  return fd;
}

/// The first process in the new namespaces, from what bubblewrap says of it: { "child-pid": 123 }. -1: it
/// said nothing, and has failed.
pid_t first_process(int status) {
  std::string text;
  char part[256];
  for (ssize_t length; (length = read(status, part, sizeof part)) != 0;) {
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) break;
    text.append(part, static_cast<std::size_t>(length));
    const std::size_t key = text.find("\"child-pid\":");
    int pid = -1;
    if (key != std::string::npos && text.find_first_of(",}", key) != std::string::npos &&
        std::sscanf(text.c_str() + key, "\"child-pid\": %d", &pid) == 1)
      return pid;
  }
  return -1;
}

int as_of_waitpid(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return W_EXITCODE(info.si_status, 0);
  return W_EXITCODE(0, info.si_status) | (info.si_code == CLD_DUMPED ? WCOREFLAG : 0);
}

/// Does a process end by it? Others stop it or are ignored, and those for a program's own use nobody sends it.
bool ends_a_process(int number) {
  constexpr int kFirstOfItsOwn = 32;
  constexpr std::array kOthers{SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
  return number > 0 && number < kFirstOfItsOwn &&
         std::find(kOthers.begin(), kOthers.end(), number) == kOthers.end();
}

int without_bubblewrap(int wait_status) {
  const int number = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) - kSignalled : 0;
  return ends_a_process(number) ? W_EXITCODE(0, number) : wait_status;
}

}  // namespace

Confined::Confined(const std::vector<std::string>& argv,
                   const std::map<std::string, std::string>& environment,
                   const std::vector<std::pair<int, int>>& fds, int output, const Confinement& confinement) {
  try {
    launch(argv, environment, fds, output, confinement);
  } catch (...) {
    kill();
    throw;
  }
}

void Confined::launch(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment,
                      const std::vector<std::pair<int, int>>& fds, int output,
                      const Confinement& confinement) {
  const Bubblewrap with = bubblewrap();
  wrapped_ = !with.path.empty();
  user_ = spare_user();
  if (user_ != 0) give(confinement.scratch, user_);

  FilterRules rules;
  rules.processes = confinement.processes;
  rules.gpu = confinement.gpu;
  rules.own_processes = wrapped_;
  std::unique_ptr<InnerPart> inner;
  if (confinement.processes) inner = std::make_unique<InnerPart>(confinement, rules);

  ProcessStart plan;
  plan.environment = environment;
  plan.fds = fds;
  plan.output = output;
  plan.limits = inner.get();
  int ends[2] = {-1, -1};
  if (wrapped_ && pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  status_ = ends[0];
  Descriptor writing(ends[1]);
  const Descriptor filter(wrapped_ && inner && !inner->filter().empty() ? filter_file(inner->filter()) : -1);
  if (wrapped_) {
    if (access(argv.at(0).c_str(), X_OK) != 0)
      throw std::runtime_error("cannot run " + argv[0] + ": " + std::strerror(errno));
    int next = 3;
    for (const auto& pair : fds) next = std::max(next, pair.first + 1);
    BubblewrapFds own{next, filter.get() >= 0 ? next + 1 : -1};
    plan.fds.emplace_back(own.status, writing.get());
    if (own.filter >= 0) plan.fds.emplace_back(own.filter, filter.get());
    plan.command = confinement.bare ? wrapped_bare(with, argv, confinement, user_, own)
                                    : wrapped(with, argv, environment, confinement, user_, own);
  } else {
    plan.command = argv;
    plan.user = user_;
    plan.folder = confinement.scratch;
    plan.locks = inner.get();
  }
  pid_ = start(plan);
  if (!wrapped_) return;
  writing.reset();
  const pid_t first = first_process(status_);
  if (first > 0) first_ = static_cast<int>(syscall(SYS_pidfd_open, first, 0));
}

Confined::~Confined() {
  kill();
}

Confined::Confined(Confined&& other) noexcept {
  *this = std::move(other);
}

Confined& Confined::operator=(Confined&& other) noexcept {
  if (this == &other) return *this;
  kill();
  pid_ = std::exchange(other.pid_, -1);
  first_ = std::exchange(other.first_, -1);
  status_ = std::exchange(other.status_, -1);
  wrapped_ = other.wrapped_;
  user_ = std::exchange(other.user_, 0);
  wait_status_ = other.wait_status_;
  return *this;
}

bool Confined::ended(int& wait_status) {
  if (pid_ > 0) {
    // left unreaped, so that its number stays its own until kill() has ended the rest
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != pid_)
      return false;
    wait_status_ = wrapped_ ? without_bubblewrap(as_of_waitpid(info)) : as_of_waitpid(info);
  }
  wait_status = wait_status_;
  return true;
}

int Confined::kill() {
  if (status_ >= 0 && pid_ <= 0) close(std::exchange(status_, -1));
  if (pid_ <= 0) return wait_status_;
  int status = 0;
  if (first_ >= 0) {
    // the kernel ends all of a namespace before its first process counts as ended; bubblewrap then ends, too
    (void)syscall(SYS_pidfd_send_signal, first_, SIGKILL, nullptr, 0);
    pollfd end{first_, POLLIN, 0};
    while (poll(&end, 1, kEnd_ms) < 0 && errno == EINTR) {
    }
    close(std::exchange(first_, -1));
    status = wait_or_kill(pid_, kEnd_ms);
  } else {
    ::kill(pid_, SIGKILL);
    ::kill(-pid_, SIGKILL);
    kill_session(pid_);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  if (status_ >= 0) close(std::exchange(status_, -1));
  kill_all_of(std::exchange(user_, 0));
  return wait_status_ = wrapped_ ? without_bubblewrap(status) : status;
}

}  // namespace gemmlab::submissions
