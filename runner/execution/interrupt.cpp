#include "runner/execution/interrupt.h"

#include <unistd.h>

#include "runner/execution/supervisor.h"
#include "runner/exit_codes.h"

namespace gemmlab::runner {
namespace {

void end_at_once(int signal) {
  constexpr char kSaid[] = "\ngemmlab: interrupted while planning; nothing was measured\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSaid, sizeof kSaid - 1);
  ::_exit(kExitBySignal + signal);
}

}  // namespace

void end_at_once_on_interrupt() {
  handle_interrupts(end_at_once);
}

}  // namespace gemmlab::runner
