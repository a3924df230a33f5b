// A program that does one thing that it may or may not do, and prints what came of it.
// confined_probe inner|outer SCRATCH MEMORY FILE THREADS GPU  ACTION [ARGUMENT...]
// `inner`: lays the inner part of the sandbox upon itself first.

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "submissions/protocol.h"
#include "submissions/sandbox/sandbox.h"

namespace {

constexpr unsigned kLongest_s = 120;  // no test leaves anything behind for longer

using Arguments = std::vector<std::string>;

void say(const char* what, bool good) {
  std::printf("%s: %s\n", what, good ? "ok" : strerrorname_np(errno));
}

void write_file(const Arguments& arguments) {
  const int fd = open(arguments.at(0).c_str(), O_WRONLY | O_CREAT, 0644);
  say("write", fd >= 0 && write(fd, "x", 1) == 1);
}

void read_file(const Arguments& arguments) {
  const int fd = open(arguments.at(0).c_str(), O_RDONLY);
  char byte = 0;
  say("read", fd >= 0 && read(fd, &byte, 1) == 1);
}

void sockets(const Arguments&) {
  say("inet", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  say("netlink", socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
  int pair[2];
  say("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "/run/no-such-door");
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  say("connect", connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
}

/// Only an own network namespace stands in the way of this one: its loopback is not ours.
void reach(const Arguments& arguments) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(arguments.at(0))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  say("reach", fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
}

void fork_once(const Arguments&) {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  say("fork", child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
}

void run_true(const Arguments&) {
  char name[] = "/bin/true";
  char* argv[] = {name, nullptr};
  execv(name, argv);
  say("exec", false);
}

void threads(const Arguments& arguments) {
  int made = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  for (int i = 0; i < std::stoi(arguments.at(0)); ++i, ++made) {
    pthread_t thread;
    const auto forever = [](void*) -> void* {
      for (;;) pause();
    };
    if (pthread_create(&thread, &small, forever, nullptr) != 0) break;
  }
  std::printf("threads: %d\n", made);
}

void memory(const Arguments& arguments) {
  const std::size_t bytes = std::stoull(arguments.at(0));
  void* taken = std::malloc(bytes);
  if (taken != nullptr) std::memset(taken, 1, bytes);
  say("malloc", taken != nullptr);
  say("shared",
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

void big_file(const Arguments& arguments) {
  const int fd = open(arguments.at(0).c_str(), O_WRONLY | O_CREAT, 0644);
  const std::vector<char> part(64 << 10);
  ssize_t length = 0;
  long written = 0;
  for (long left = std::stol(arguments.at(1)); left > 0 && length >= 0; left -= length) {
    length = write(fd, part.data(), part.size());
    if (length > 0) written += length;
  }
  say("big", length >= 0);
  std::printf("written: %ld\n", written);
}

void signals(const Arguments& arguments) {
  say("kill", kill(std::stoi(arguments.at(0)), SIGKILL) == 0);
  say("parent", kill(getppid(), SIGKILL) == 0);
  say("all", kill(-1, SIGKILL) == 0);
  say("tkill", syscall(SYS_tkill, getppid(), SIGKILL) == 0);
  say("self", kill(getpid(), 0) == 0 && syscall(SYS_tgkill, getpid(), gettid(), 0) == 0);
}

void meddle(const Arguments&) {
  say("ptrace", ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0);
  say("io_uring", syscall(SYS_io_uring_setup, 1, nullptr) == 0);
  say("unshare", syscall(SYS_unshare, 0x10000000) == 0);
  rlimit limit{};
  say("prlimit self", prlimit(0, RLIMIT_DATA, nullptr, &limit) == 0);
  say("prlimit other", prlimit(getppid(), RLIMIT_DATA, nullptr, &limit) == 0);
  getrlimit(RLIMIT_CORE, &limit);
  std::printf("core: %s\n", limit.rlim_max <= 1 ? "none" : "dumped");
}

void write_fd(const Arguments& arguments) {
  for (const std::string& fd : arguments) say("handed", write(std::stoi(fd), fd.data(), fd.size()) > 0);
}

void open_fds(const Arguments&) {
  DIR* folder = opendir("/proc/self/fd");
  std::set<int> numbers;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(folder))
      numbers.insert(std::atoi(entry->d_name));
  }
  for (const int number : numbers) std::printf("fd %d\n", number);
  char byte = 0;
  std::printf("stdin: %ld\n", static_cast<long>(read(0, &byte, 1)));
}

void environment(const Arguments&) {
  for (char** variable = environ; *variable != nullptr; ++variable) std::printf("%s\n", *variable);
}

void identity(const Arguments&) {
  char folder[4096] = "";
  (void)!getcwd(folder, sizeof folder);
  std::printf("uid %u gid %u groups %d\nin %s\n", getuid(), getgid(), getgroups(0, nullptr), folder);
}

/// A process that does not want to end, with children that have tried to get away.
void stay(const Arguments& arguments) {
  signal(SIGTERM, SIG_IGN);
  alarm(kLongest_s);
  const int fd = std::stoi(arguments.at(0));
  for (int child = 0; child < 3; ++child) {
    if (fork() == 0) {
      if (child > 0) setsid();
      if (child > 1 && fork() != 0) _exit(0);
      alarm(kLongest_s);
      (void)!write(fd, "x", 1);
      for (;;) pause();
    }
  }
  for (;;) pause();
}

void stay_alone(const Arguments& arguments) {
  alarm(kLongest_s);
  (void)!write(std::stoi(arguments.at(0)), "x", 1);
  for (;;) pause();
}

void end_by(const Arguments& arguments) {
  if (arguments.at(0) == "abort") std::abort();
  if (arguments.at(0) == "segv") raise(SIGSEGV);
  _exit(std::stoi(arguments.at(0)));
}

/// A callee whose late thread faults in C after the next request was sent and before that is read.
void fault_before_reading(const Arguments&) {
  using namespace gemmlab::submissions;
  char setup[1 << 14];
  (void)!recv(kChannelFd, setup, sizeof setup, 0);
  Reply reply;
  (void)!send(kChannelFd, &reply, sizeof reply, 0);
  pollfd request{kChannelFd, POLLIN, 0};
  poll(&request, 1, static_cast<int>(kLongest_s) * 1000);
  reply.said = Said::kFault;
  reply.number = SIGSEGV;
  reply.matrix = 2;
  reply.outside_call = 1;
  (void)!send(kChannelFd, &reply, sizeof reply, 0);
  _exit(128 + SIGSEGV);
}

/// A callee whose call takes so many seconds of a processor, beside others that leave it little of any.
void compute(const Arguments& arguments) {
  using namespace gemmlab::submissions;
  char message[1 << 14];
  (void)!recv(kChannelFd, message, sizeof message, 0);
  Reply reply;
  (void)!send(kChannelFd, &reply, sizeof reply, 0);
  (void)!recv(kChannelFd, message, sizeof message, 0);
  std::vector<pid_t> others;
  for (long i = 0; i < 2 * sysconf(_SC_NPROCESSORS_ONLN); ++i) {
    others.push_back(fork());
    if (others.back() != 0) continue;
    alarm(kLongest_s);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile bool goes_on = true; goes_on;) {
    }
  }
  const double until_s = std::stod(arguments.at(0));
  for (timespec ran{}; static_cast<double>(ran.tv_sec) + 1e-9 * static_cast<double>(ran.tv_nsec) < until_s;)
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ran);
  for (const pid_t other : others) kill(other, SIGKILL);
  reply.said = Said::kReturned;
  (void)!send(kChannelFd, &reply, sizeof reply, 0);
  _exit(0);
}

const std::map<std::string, std::function<void(const Arguments&)>> kActions{
    {"write", write_file},      {"read", read_file},
    {"sockets", sockets},       {"reach", reach},
    {"fork", fork_once},        {"exec", run_true},
    {"threads", threads},       {"memory", memory},
    {"big", big_file},          {"signals", signals},
    {"meddle", meddle},         {"fd", write_fd},
    {"fds", open_fds},          {"environment", environment},
    {"identity", identity},     {"stay", stay},
    {"stay alone", stay_alone}, {"end", end_by},
    {"compute", compute},       {"fault before reading", fault_before_reading}};

}  // namespace

int main(int argc, char** argv) {
  const Arguments words(argv + 1, argv + argc);
  gemmlab::submissions::Confinement confinement;
  confinement.scratch = words.at(1);
  confinement.memory_bytes = std::stoll(words.at(2));
  confinement.file_bytes = std::stoll(words.at(3));
  confinement.threads = std::stoi(words.at(4));
  confinement.gpu = words.at(5) == "1";
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (words.at(0) == "inner") gemmlab::submissions::confine_self(confinement);
  kActions.at(words.at(6))(Arguments(words.begin() + 7, words.end()));
  _exit(0);
}
