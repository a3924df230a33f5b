#include "runner/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gemmlab::runner {

OutputLost::OutputLost(int error)
    : text_(std::string("standard output cannot be written to: ") + std::strerror(error)) {}

bool open_standard_streams() {
  bool output = true;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    if (descriptor == STDOUT_FILENO) output = false;
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);  // gets the lowest free number: this one
  }
  return output;
}

void print_now(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  flush_output();
}

void flush_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return;
  throw OutputLost(errno != 0 ? errno : EIO);
}

}  // namespace gemmlab::runner
