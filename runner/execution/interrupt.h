#pragma once

// What Ctrl-C does while there is nothing to keep.

namespace gemmlab::runner {

/// From now on SIGINT and SIGTERM end the program at once, with exit code 130 and a line that says that
/// nothing was measured: for work that leaves nothing behind, however long it takes. A worker dies with its
/// parent. catch_interrupts() takes its place once there is something to keep.
void end_at_once_on_interrupt();

}  // namespace gemmlab::runner
