#pragma once

// Who may (root, CAP_SYS_NICE, a limit on priorities) times at a real-time priority: other programs then wait, not the calls that
// are timed. Niceness is not enough: a program that runs keeps its processor until the kernel's next tick, and two calls of 10 ms
// became 22. What processors share besides (frequency, caches, the memory's bandwidth) stays shared.

#include <sys/types.h>

namespace gemmlab::submissions {

/// Raises the calling thread, which reads the clock, over all that it times; what it starts is not raised. False where the user may
/// not, or where there is a single processor, which would then be the judge's alone.
bool raise_own_priority();

/// Raises all threads of a process, and with them those that they will start, to below the judge. False where the user may not.
bool raise_priority_of(pid_t process);

}  // namespace gemmlab::submissions
