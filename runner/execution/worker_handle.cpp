#include "runner/execution/worker_handle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace gemmlab::runner {
namespace {

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become_worker(int in, int out, int page, int log, char* const* environment) {
  ::setpgid(0, 0);  // Ctrl-C is for the parent, which decides what is kept
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  for (int fd : {in, out, page}) ::fcntl(fd, F_SETFD, 0);
  char in_text[16], out_text[16], page_text[16];
  std::snprintf(in_text, sizeof in_text, "%d", in);
  std::snprintf(out_text, sizeof out_text, "%d", out);
  std::snprintf(page_text, sizeof page_text, "%d", page);
  const char* arguments[] = {"gemmlab", "worker", in_text, out_text, page_text, nullptr};
  ::execve("/proc/self/exe", const_cast<char**>(arguments), environment);
  ::_exit(127);
}

/// This process's variables with `changes` over them, as NAME=VALUE.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (changes.count(text.substr(0, text.find('='))) == 0) entries.push_back(text);
  }
  for (const auto& [name, value] : changes) entries.push_back(name + "=" + value);
  return entries;
}

}  // namespace

WorkerHandle::~WorkerHandle() {
  stop();
}

void WorkerHandle::start() {
  if (pid_ > 0) return;
  int down[2], up[2];
  status_ = ::memfd_create("gemmlab-status", MFD_CLOEXEC);
  log_ = ::memfd_create("gemmlab-worker-log", MFD_CLOEXEC);
  if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0 || status_ < 0 || log_ < 0 ||
      ::ftruncate(status_, sizeof(StatusPage)) != 0) {
    throw std::runtime_error(fmt::format("a worker process could not be started: {}", std::strerror(errno)));
  }
  void* memory = ::mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED, status_, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error("a worker process could not be started: no shared memory");
  page_ = new (memory) StatusPage;
  std::vector<std::string> variables = environment_with(environment_);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0)
    throw std::runtime_error(fmt::format("a worker process could not be started: {}", std::strerror(errno)));
  if (pid_ == 0) become_worker(down[0], up[1], status_, log_, environment.data());
  ::close(down[0]);
  ::close(up[1]);
  from_worker_ = up[0];
  to_worker_ = down[1];
  channel_ = std::make_unique<Channel>(from_worker_, to_worker_);
}

void WorkerHandle::stop() {
  if (pid_ <= 0) return;
  if (!channel_->closed())
    ::kill(pid_, SIGKILL);  // a closed pipe means that it is dying by itself: its own status counts
  while (::waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  channel_.reset();
  ::munmap(page_, sizeof(StatusPage));
  page_ = nullptr;
  for (const int fd : {from_worker_, to_worker_, status_, log_}) ::close(fd);
}

std::string WorkerHandle::last_words() const {
  char text[2048];
  const off_t size = ::lseek(log_, 0, SEEK_END);
  const off_t from = size > static_cast<off_t>(sizeof text) ? size - static_cast<off_t>(sizeof text) : 0;
  const ssize_t count = ::pread(log_, text, sizeof text, from);
  std::string words(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  const std::size_t line = words.rfind('\n');
  return line == std::string::npos ? words : words.substr(line + 1);
}

}  // namespace gemmlab::runner
