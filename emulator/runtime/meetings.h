#pragma once

// What a block's threads meet at besides __syncthreads: named barriers, mbarriers, and what TMA and the tensor cores do for them.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/runtime/checks/clocks.h"
#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

/// Who touches memory for a thread: TMA or wgmma.
struct Agent {
  std::string name;
  int owner;  ///< the thread that asked
  std::uint32_t clock = 0;
};

/// bar.sync and bar.arrive of one number.
struct NamedBarrier {
  unsigned expected = 0;  ///< threads of the round that goes on; 0: none does
  unsigned arrived = 0;
  std::vector<int> waiting;
  Seen seen;
  unsigned count = 0;  ///< of predicates
  bool all = true;
  std::uint32_t place = 0;
};

/// Bytes that TMA brings to shared memory: they are there once somebody waits for them, not before, so that a wait that was
/// forgotten shows.
struct Delivery {
  char* to;
  std::vector<char> bytes;
};

/// An object of mbarrier instructions.
struct PhaseBarrier {
  std::uint32_t expected = 0;  ///< arrivals of a phase
  std::int64_t pending = 0;
  std::int64_t bytes = 0;  ///< that TMA has yet to bring
  std::uint64_t phase = 0;
  Seen seen;   ///< of who arrived in this phase
  Seen ended;  ///< and in those before
  std::vector<Delivery> deliveries;
  int owner = 0;           ///< who made it
  std::uint32_t made = 0;  ///< its maker's clock then
  std::uint32_t made_epoch = 0;
  std::uint32_t place = 0;
};

struct Meetings {
  bool has_clocks = false;  ///< threads order themselves by more than __syncthreads
  std::vector<Agent> agents;
  std::map<std::pair<int, int>, int> agent_of;  ///< by sort and thread
  std::map<unsigned, NamedBarrier> named;
  std::map<const void*, PhaseBarrier> phases;
};

}  // namespace gemmlab::emulation
