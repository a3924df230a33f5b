#pragma once

// What comes before what between threads that meet in other ways than __syncthreads: at named barriers and mbarriers, and by
// waiting for what the tensor cores and TMA do for them. Vector clocks: each actor counts the times that it lets others know of
// it, and remembers how far it knows of each other.

#include <cstdint>
#include <vector>

#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

/// How far one knows of each actor, by its number.
using Seen = std::vector<std::uint32_t>;

void merge(Seen& into, const Seen& from);

/// Who touches memory: a thread, or what works for one.
struct Actor {
  int number;
  std::uint32_t clock;
  const Seen* seen;
  bool asynchronous = false;  ///< by the asynchronous proxy: wgmma and TMA
};
inline Actor actor_of(const Thread& thread) {
  return {thread.number, thread.clock, &thread.seen};
}

/// What `thread` did is known to who acquires `into`.
void release(Thread& thread, Seen& into);
void acquire(Thread& thread, const Seen& from);
/// Each knows all that any of them does.
void meet(const std::vector<Thread*>& threads);

inline bool knows(const Seen& seen, int actor, std::uint32_t clock) {
  return static_cast<std::size_t>(actor) < seen.size() && seen[static_cast<std::size_t>(actor)] >= clock;
}

}  // namespace gemmlab::emulation
