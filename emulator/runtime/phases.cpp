#include "emulator/runtime/phases.h"

#include <cstring>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {
namespace {

std::string name_of(const void* at) {
  SharedMemory& shared = shared_memory();
  if (!shared.holds(at)) return "an address outside of shared memory";
  const std::uint64_t offset = shared.offset(at);
  const SharedPlace* place = shared.find(offset);
  return place == nullptr ? "shared memory"
                          : shared.element(*place, static_cast<std::int64_t>(offset - place->at));
}

[[noreturn]] void refuse_barrier(const char* kind, const std::string& text) {
  Finding finding = finding_at(kind, Operation::kAtomic, 0);
  finding.text = "At " + place_text(current->place) + " " + who() + " " + text + ".";
  run().end_kernel(std::move(finding), cudaErrorLaunchFailure);
}

PhaseBarrier& barrier_of(const void* at) {
  run().meetings().has_clocks = true;
  global_races().synchronises(false);
  auto& all = run().meetings().phases;
  const auto found = all.find(at);
  if (found == all.end())
    refuse_barrier("barrier-not-initialised", "uses an mbarrier that nobody has initialised, " + name_of(at));
  return found->second;
}

void end_phase(const void* at, PhaseBarrier& barrier) {
  if (barrier.pending > 0 || barrier.bytes != 0) return;
  merge(barrier.ended, barrier.seen);
  ++barrier.phase;
  barrier.pending = barrier.expected;
  run().wake(at);
}

/// What TMA has on its way comes.
void bring(const void* at, PhaseBarrier& barrier) {
  std::vector<Delivery> coming;
  coming.swap(barrier.deliveries);
  for (const Delivery& each : coming) {
    std::memcpy(each.to, each.bytes.data(), each.bytes.size());
    barrier.bytes -= static_cast<std::int64_t>(each.bytes.size());
  }
  if (!coming.empty()) end_phase(at, barrier);
}

}  // namespace

void init_phase_barrier(void* at, std::uint32_t arrivals) {
  run().meetings().has_clocks = true;
  PhaseBarrier& barrier = run().meetings().phases[at];
  barrier = {};
  barrier.expected = arrivals;
  barrier.pending = arrivals;
  barrier.owner = current->number;
  barrier.made = current->clock;
  barrier.made_epoch = shared_memory().epoch();
  barrier.place = current->place;
}

std::uint64_t arrive_at_phase_barrier(void* at, std::uint32_t count, std::int64_t bytes, bool drop) {
  PhaseBarrier& barrier = barrier_of(at);
  const std::uint64_t phase = barrier.phase;
  release(*current, barrier.seen);
  barrier.bytes += bytes;
  barrier.pending -= count;
  if (barrier.pending < 0)
    refuse_barrier("too-many-arrivals", "arrives at the mbarrier " + name_of(at) + " once more than the " +
                                            std::to_string(barrier.expected) + " that a phase has");
  if (drop) --barrier.expected;
  end_phase(at, barrier);
  if (--current->left <= 0) leave();
  return phase;
}

void expect_bytes(void* at, std::int64_t bytes) {
  PhaseBarrier& barrier = barrier_of(at);
  barrier.bytes += bytes;
  end_phase(at, barrier);
}

void expect_arrival(void* at) {
  ++barrier_of(at).pending;
}

bool wait_for_phase_barrier(void* at, std::uint64_t phase, bool blocks) {
  bring(at, barrier_of(at));
  if (barrier_of(at).phase <= phase && blocks) {
    run().wait_for_phase(at, phase);
    bring(at, barrier_of(at));
  }
  PhaseBarrier& barrier = barrier_of(at);
  if (barrier.phase > phase) {
    acquire(*current, barrier.ended);
    return true;
  }
  current->left = 0;
  leave();  // it looks again: others' turn
  return false;
}

bool wait_for_parity(void* at, unsigned parity, bool blocks) {
  const std::uint64_t now = barrier_of(at).phase;
  // of the phase that goes on, or of the one that has just ended
  const std::uint64_t meant = (now & 1) == parity ? now : now - 1;
  if (meant == ~std::uint64_t{0}) return true;  // in front of the first one
  return wait_for_phase_barrier(at, meant, blocks);
}

void deliver(void* at, void* to, std::vector<char> bytes, const Seen& seen) {
  PhaseBarrier& barrier = barrier_of(at);
  merge(barrier.seen, seen);
  barrier.deliveries.push_back({static_cast<char*>(to), std::move(bytes)});
  // somebody may wait already
  for (int i = 0; i < run().threads(); ++i) {
    if (run().thread(i).state == State::kAtPhase && run().thread(i).waits_for == at)
      return bring(at, barrier);
  }
}

void proxy_fence(Thread& thread) {
  thread.fenced = thread.clock++;
  thread.fenced_epoch = shared_memory().epoch();
  thread.fenced_seen = thread.seen;
}

}  // namespace gemmlab::emulation
