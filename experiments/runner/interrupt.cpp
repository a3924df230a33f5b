#include "experiments/runner/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "experiments/runner/commands.h"

namespace gemmlab::runner {
namespace {

void end_at_once(int) {
  constexpr char kSaid[] = "\ngemmlab: interrupted while planning; nothing was measured\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSaid, sizeof kSaid - 1);
  ::_exit(kExitInterrupted);
}

}  // namespace

void end_at_once_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = end_at_once;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace gemmlab::runner
