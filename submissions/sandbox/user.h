#pragma once

// Users made up for confined processes, where we are root.

#include <sys/types.h>

#include <string>

namespace gemmlab::submissions {

/// A user id that no account has and no process runs under. 0 if we are not root, or may not change to another user.
uid_t spare_user();

/// Makes `user` the owner of a folder and of all in it.
void give(const std::string& folder, uid_t user);

/// Becomes `user` for good, without any of our groups. Async-signal-safe.
bool become(uid_t user);

/// No capability can be had again, by whatever program. Async-signal-safe.
void give_up_capabilities();

/// Kills every process of a made-up user, and returns once none is left. Does nothing for user 0.
void kill_all_of(uid_t user);

/// Kills every process of a session but for the caller's own, and returns once none is left.
void kill_session(pid_t session);

}  // namespace gemmlab::submissions
