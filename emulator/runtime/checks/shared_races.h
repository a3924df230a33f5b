#pragma once

// Races on shared memory, and its words that are read before any thread has written them.

#include <cstdint>

#include "emulator/runtime/checks/clocks.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {

/// Access of `actor`, the current thread or what works for it, within bounds, to `bytes` of the array `place` at offset `at` of shared memory: tells what it
/// races with, and what it reads unset.
void note_shared(const SharedPlace& place, std::uint64_t at, unsigned bytes, Operation operation,
                 const Actor& actor);

}  // namespace gemmlab::emulation
