#pragma once

// Is an access of the current thread allowed, and does it race?

#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

struct Actor;

/// Bounds and alignment (a fault ends the kernel: these do not return then), and races. `alone`: volatile.
void check_global(const void* address, unsigned bytes, Operation operation, bool alone = false);
/// And races with other threads since the last barrier, and reading what nobody has written.
void check_shared(const void* address, unsigned bytes, Operation operation);
/// The same, of what works for the current thread.
void check_shared_by(const Actor& actor, const void* address, unsigned bytes, Operation operation);
/// An access of the current thread where it is noted to be, as instrumented code makes them. `counted`: else it is part of
/// what Run::count_bulk has counted.
void access_here(const void* address, unsigned bytes, Operation operation, bool alone = false,
                 bool counted = true);
/// Bounds and alignment alone.
void check_shared_bounds(const void* address, unsigned bytes, Operation operation);
/// An address that is nobody's.
[[noreturn]] void refuse_address(const void* address, unsigned bytes, Operation operation);

/// Two threads have stored to one word: now that the second value is there, were they equal?
void settle_rival(Thread& thread);

}  // namespace gemmlab::emulation
