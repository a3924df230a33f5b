#pragma once

// Who may (root, CAP_SYS_NICE, a limit on niceness) times at the system's highest priority: other programs then wait, not the
// calls that are timed. What processors share besides (frequency, caches, the memory's bandwidth) stays shared.

#include <sys/types.h>

#include <string>

namespace gemmlab::submissions {

/// Raises the calling thread, and with it all that it starts from now on, for as long as it lives. Leaves the terminal's session
/// first: the kernel also shares processors by sessions, and nobody else of it is to be raised. False, and nothing is changed,
/// where the user may not.
bool raise_own_priority();

/// Raises the session of a process that was started at a raised priority, which is a session of its own. True where the kernel
/// does not share by sessions. `proc`: the folder of the kernel's files.
bool raise_session_of(pid_t process, const std::string& proc = "/proc");

}  // namespace gemmlab::submissions
