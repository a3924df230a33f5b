#pragma once

// mbarriers: objects in shared memory whose phases end once all have arrived and all bytes have come. For inline PTX and for
// cuda::barrier; always of the current thread.

#include <cstdint>
#include <vector>

#include "emulator/runtime/meetings.h"

namespace gemmlab::emulation {

void init_phase_barrier(void* at, std::uint32_t arrivals);
/// `count` arrivals, and `bytes` more to wait for; `drop`: and one fewer from the next phase on. Which phase it was.
std::uint64_t arrive_at_phase_barrier(void* at, std::uint32_t count, std::int64_t bytes, bool drop);
void expect_bytes(void* at, std::int64_t bytes);
void expect_arrival(void* at);
/// Is the phase over? `blocks`: first waits until it is.
bool wait_for_phase_barrier(void* at, std::uint64_t phase, bool blocks);
/// The phase that goes on, or the one before it, by the last bit of its number.
bool wait_for_parity(void* at, unsigned parity, bool blocks);
/// `bytes` come to `to`, and count at the barrier once somebody waits there.
void deliver(void* barrier, void* to, std::vector<char> bytes, const Seen& seen);
/// What the thread has written may be read by TMA and wgmma.
void proxy_fence(Thread& thread);

}  // namespace gemmlab::emulation
