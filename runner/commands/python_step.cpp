#include "runner/commands/python_step.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "core/machine/own_files.h"
#include "runner/execution/supervisor.h"
#include "runner/exit_codes.h"

namespace gemmlab::runner {
namespace {

constexpr auto kLook = std::chrono::milliseconds(20);

/// Starts the command, which ends when this process does. `env` takes the variables, so that none is set
/// here.
pid_t start(std::vector<std::string> command, bool output_to_stderr) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(std::string("the report's process: ") + std::strerror(errno));
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kExitWrong);
  if (output_to_stderr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(kExitUsage);
}

/// Its wait status. Passes on a signal that asks this process to end, and waits for what the child does then.
int outcome(pid_t child) {
  int status = 0;
  bool told = false;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return kExitWrong << 8;
    if (!told && interrupted_now()) {
      ::kill(child, SIGTERM);
      told = true;
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

int run_report_step(const std::vector<std::string>& arguments, bool output_to_stderr) {
  const char* python = std::getenv("GEMMLAB_PYTHON");
  if (python == nullptr || *python == '\0') return -1;
  std::error_code unknown;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  std::vector<std::string> command{"env",
                                   "PYTHONSAFEPATH=1",
                                   "PYTHONUTF8=1",
                                   "PYTHONPATH=" + source_root(),
                                   "GEMMLAB_PROGRAM=" + program,  // the report asks it which points are stale
                                   python,
                                   "-m",
                                   "report"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::fflush(stdout);
  const int status = outcome(start(std::move(command), output_to_stderr));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kExitBySignal + WTERMSIG(status);
  if (interrupted_now() || code == kExitBySignal + SIGINT || code == kExitBySignal + SIGTERM)
    throw Interrupted();
  return code;
}

}  // namespace gemmlab::runner
