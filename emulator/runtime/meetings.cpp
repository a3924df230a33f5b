// Barriers of a part of a block, and the phases of mbarriers.

#include "emulator/runtime/meetings.h"

#include <algorithm>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {

int Run::agent_for(int sort, int thread, const char* name) {
  meetings_.has_clocks = true;
  const auto [at, is_new] = meetings_.agent_of.try_emplace({sort, thread}, 0);
  if (is_new) {
    at->second = threads_ + static_cast<int>(meetings_.agents.size());
    meetings_.agents.push_back({name, thread});
  }
  return at->second;
}

Actor Run::begin_agent(int agent, Seen& seen) {
  Agent& its = meetings_.agents[static_cast<std::size_t>(agent - threads_)];
  return {agent, ++its.clock, &seen, true};
}

std::uint64_t Run::at_block_barrier(int predicate) {
  current->predicate = predicate;
  current->state = State::kAtBarrier;
  leave();
  return current->call.result;
}

bool Run::has_left(unsigned rank) {
  const int warps = threads_of_block() / kLanes;
  const auto first = live_.begin() + static_cast<std::ptrdiff_t>(rank) * warps;
  return std::all_of(first, first + warps, [](unsigned live) { return live == 0; });
}

void Run::at_cluster_barrier() {
  global_races().synchronises(false);
  current->state = State::kAtCluster;
  leave();
}

std::uint64_t Run::at_named(unsigned number, unsigned count, bool waits, int predicate) {
  meetings_.has_clocks = true;
  global_races().synchronises(false);
  NamedBarrier& barrier = meetings_.named[number + 16 * rank_in_cluster()];
  if (barrier.expected != 0 && barrier.expected != count) {
    Finding finding;
    finding.kind = "barrier-divergence";
    finding.place = current->place;
    finding.other_place = barrier.place;
    finding.text = "Barrier " + std::to_string(number) + " is for " + std::to_string(count) + " threads at " +
                   place_text(current->place) + ", and for " + std::to_string(barrier.expected) + " at " +
                   place_text(barrier.place) + ".";
    end_kernel(std::move(finding), cudaErrorLaunchFailure);
  }
  barrier.expected = count;
  barrier.place = current->place;
  barrier.count += predicate != 0 ? 1 : 0;
  barrier.all = barrier.all && predicate != 0;
  release(*current, barrier.seen);
  if (waits) {
    current->waits_for = &barrier;
    barrier.waiting.push_back(current->number);
    current->state = State::kAtNamed;
  }
  if (++barrier.arrived >= count) {
    for (const int each : barrier.waiting) {
      Thread& one = thread(each);
      acquire(one, barrier.seen);
      one.call.result = std::uint64_t{barrier.count} << 1 | (barrier.all ? 1 : 0);
      one.state = State::kReady;
      one.waits_for = nullptr;
    }
    barrier = {};
  }
  if (waits) leave();
  return current->call.result;
}

void Run::wait_for_phase(const void* barrier, std::uint64_t phase) {
  current->waits_for = barrier;
  current->waits_value = phase;
  current->state = State::kAtPhase;
  leave();
}

void Run::wake(const void* barrier) {
  for (Thread& one : fibers_.threads()) {
    if (one.state == State::kAtPhase && one.waits_for == barrier) one.state = State::kReady;
  }
}

void Run::end_thread() {
  async_wait(-1);
  current->state = State::kDone;
  current->exits = true;
  leave();
  std::abort();
}

}  // namespace gemmlab::emulation
