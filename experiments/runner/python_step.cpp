#include "experiments/runner/python_step.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "experiments/runner/commands.h"
#include "experiments/runner/provenance.h"

namespace gemmlab::runner {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') quoted += "'\\'";
    quoted += c;
  }
  return fmt::format("'{}'", quoted);
}

}  // namespace

int run_report_step(const std::vector<std::string>& arguments, bool output_to_stderr) {
  const char* python = std::getenv("GEMMLAB_PYTHON");
  if (python == nullptr || *python == '\0') return -1;
  std::string command = fmt::format("PYTHONSAFEPATH=1 PYTHONPATH={} {} -m report",
                                    shell_quoted(source_root()), shell_quoted(python));
  for (const std::string& argument : arguments) command += fmt::format(" {}", shell_quoted(argument));
  if (output_to_stderr) command += " 1>&2";
  std::fflush(stdout);
  const int status = std::system(command.c_str());
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT ? kExitInterrupted : kExitWrong;
}

}  // namespace gemmlab::runner
