#pragma once

// The Landlock part of the sandbox: where a confined process may write.

#include "submissions/sandbox/sandbox.h"

namespace gemmlab::submissions {

/// The version of Landlock that the kernel has; 0 where it has none, or has it switched off.
int landlock_version();

/// A set of rules, as a file descriptor that closes on exec: writing below scratch and to a few devices, no
/// TCP where the kernel can refuse it. Reading and running stay allowed, but for a bare confinement. -1 where it cannot be
/// had.
int landlock_rules(const Confinement& confinement);

/// Holds the calling thread and all that it starts to `rules`. no_new_privs must be set. Async-signal-safe.
/// Threads that are there already (those of the CUDA driver) are covered only where the kernel can (version
/// 8); elsewhere they stay free. A submission runs on the calling thread and on threads that it starts.
bool apply_landlock(int rules, int version);

}  // namespace gemmlab::submissions
