// Where threads meet: __syncthreads, and the operations of a warp.

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/clocks.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

std::uint64_t at_barrier(int predicate, const void* place) {
  if (current == nullptr) return 0;
  settle_rival(*current);
  current->place = place_of(place);
  return run().at_block_barrier(predicate);
}

std::uint64_t meet(const WarpCall& call, const void* place) {
  if (current == nullptr) return call.value;
  settle_rival(*current);
  current->place = place_of(place);
  return run().meet_here(call);
}

std::uint64_t meet_at_place(const WarpCall& call) {
  if ((call.mask >> current->lane() & 1) == 0) {
    Finding finding;
    finding.kind = "warp-divergence";
    finding.place = current->place;
    finding.text = "A thread calls a warp operation with a mask that does not name itself, at " +
                   place_text(current->place) + ": " + thread_text(current->index) + " is lane " +
                   std::to_string(current->lane()) + ".";
    run().end_kernel(std::move(finding), cudaErrorLaunchFailure);
  }
  current->call = call;
  current->state = State::kAtWarp;
  leave();
  return current->call.result;
}

int source_lane(const WarpCall& call, int lane) {
  const int segment = lane / call.width * call.width;
  switch (static_cast<Shuffle>(call.kind)) {
    case Shuffle::kIndex:
      return segment + (call.lane_or_delta & (call.width - 1));
    case Shuffle::kUp:
      return lane - call.lane_or_delta >= segment ? lane - call.lane_or_delta : lane;
    case Shuffle::kDown:
      return lane + call.lane_or_delta < segment + call.width ? lane + call.lane_or_delta : lane;
    default:
      return (lane ^ call.lane_or_delta) < segment + call.width ? lane ^ call.lane_or_delta : lane;
  }
}

unsigned reduced(Reduction kind, unsigned one, unsigned other) {
  switch (kind) {
    case Reduction::kAdd:
      return one + other;
    case Reduction::kMin:
      return one < other ? one : other;
    case Reduction::kMax:
      return one < other ? other : one;
    case Reduction::kAnd:
      return one & other;
    case Reduction::kOr:
      return one | other;
    case Reduction::kXor:
      return one ^ other;
    case Reduction::kSignedMin:
      return static_cast<int>(one) < static_cast<int>(other) ? one : other;
    default:
      return static_cast<int>(one) < static_cast<int>(other) ? other : one;
  }
}

/// What the lanes in `group` take away.
void settle(Thread* const* lanes, unsigned group) {
  const WarpCall& first_call = lanes[__builtin_ctz(group)]->call;
  if (first_call.meeting == Meeting::kTogether) {
    void* brought[kLanes] = {};
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((group >> lane & 1) != 0) brought[lane] = lanes[lane]->call.brought;
    }
    return first_call.together(brought);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    WarpCall& call = lanes[lane]->call;
    call.result = call.value;
    if (call.meeting == Meeting::kShuffle) {
      const int from = source_lane(call, lane);
      if (from < kLanes && (group >> from & 1) != 0) {
        call.result = lanes[from]->call.value;
      } else if (from < kLanes) {
        call.result = ~std::uint64_t{0};  // it has returned, or the mask leaves it out: undefined, so a NaN
      }
      continue;
    }
    bool first = true;
    for (int other = 0; other < kLanes && call.meeting != Meeting::kSync; ++other) {
      if ((group >> other & 1) == 0) continue;
      const std::uint64_t value = lanes[other]->call.value;
      if (call.meeting == Meeting::kReduce) {
        call.result = first ? value
                            : reduced(static_cast<Reduction>(call.kind), static_cast<unsigned>(call.result),
                                      static_cast<unsigned>(value));
      } else {
        const bool counts = call.meeting == Meeting::kBallot ? value != 0 : value == call.value;
        call.result = (first ? 0 : call.result) | (counts ? 1u << other : 0u);
      }
      first = false;
    }
  }
}

void meet_clocks(Thread* const* lanes, unsigned group) {
  std::vector<Thread*> all;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((group >> lane & 1) != 0) all.push_back(lanes[lane]);
  }
  meet(all);
}

}  // namespace

std::uint64_t Run::meet_here(const WarpCall& call) {
  return meet_at_place(call);
}

void Run::together(unsigned mask, void (*work)(void* const* brought), void* brought) {
  WarpCall call;
  call.meeting = Meeting::kTogether;
  call.mask = mask;
  call.together = work;
  call.brought = brought;
  meet_here(call);
}

/// Lets every group of lanes go on that is complete. False: none is.
bool Run::meet_lanes(int warp) {
  const int first = warp * kLanes;
  Thread* lanes[kLanes] = {};
  for (int lane = 0; lane < kLanes && first + lane < threads_; ++lane) lanes[lane] = &thread(first + lane);
  const unsigned live = live_[static_cast<std::size_t>(warp)];
  bool any = false;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lanes[lane] == nullptr || lanes[lane]->state != State::kAtWarp) continue;
    const WarpCall call = lanes[lane]->call;
    const unsigned group = call.mask & live;
    bool complete = true;
    for (int other = 0; other < kLanes; ++other) {
      if ((group >> other & 1) == 0) continue;
      const Thread& one = *lanes[other];
      complete = complete && one.state == State::kAtWarp && one.call.meeting == call.meeting &&
                 one.call.mask == call.mask && one.call.together == call.together;
    }
    if (!complete) continue;
    settle(lanes, group);
    if (call.meeting == Meeting::kSync) {
      clock(warp).meet(group, live);
      if (has_clocks()) meet_clocks(lanes, group);
    }
    for (int other = 0; other < kLanes; ++other) {
      if ((group >> other & 1) != 0) lanes[other]->state = State::kReady;
    }
    if (counting()) ++counts().warp_operations;
    any = true;
  }
  return any;
}

std::uint64_t warp_shuffle(unsigned mask, std::uint64_t value, Shuffle kind, int lane_or_delta, int width) {
  return meet({Meeting::kShuffle, static_cast<int>(kind), mask, value, lane_or_delta, width, 0},
              __builtin_return_address(0));
}

unsigned warp_ballot(unsigned mask, bool predicate) {
  return static_cast<unsigned>(
      meet({Meeting::kBallot, 0, mask, predicate ? 1u : 0u, 0, kLanes, 0}, __builtin_return_address(0)));
}

unsigned warp_match(unsigned mask, std::uint64_t value) {
  return static_cast<unsigned>(
      meet({Meeting::kMatch, 0, mask, value, 0, kLanes, 0}, __builtin_return_address(0)));
}

unsigned warp_reduce(unsigned mask, unsigned value, Reduction kind) {
  return static_cast<unsigned>(meet({Meeting::kReduce, static_cast<int>(kind), mask, value, 0, kLanes, 0},
                                    __builtin_return_address(0)));
}

}  // namespace gemmlab::emulation

std::size_t __cvta_generic_to_shared(const void* address) {
  return gemmlab::emulation::shared_memory().to_window(address);
}
void* __cvta_shared_to_generic(std::size_t address) {
  using namespace gemmlab::emulation;
  return shared_memory().from_window(static_cast<std::uint32_t>(address), run().rank_in_cluster());
}

void __syncthreads() {
  gemmlab::emulation::at_barrier(0, __builtin_return_address(0));
}
int __syncthreads_count(int predicate) {
  return static_cast<int>(gemmlab::emulation::at_barrier(predicate, __builtin_return_address(0)) >> 1);
}
int __syncthreads_and(int predicate) {
  return static_cast<int>(gemmlab::emulation::at_barrier(predicate, __builtin_return_address(0)) & 1);
}
int __syncthreads_or(int predicate) {
  return gemmlab::emulation::at_barrier(predicate, __builtin_return_address(0)) >> 1 != 0 ? 1 : 0;
}
void __syncwarp(unsigned mask) {
  using namespace gemmlab::emulation;
  meet({Meeting::kSync, 0, mask, 0, 0, kLanes, 0}, __builtin_return_address(0));
}
void __threadfence() {
  using namespace gemmlab::emulation;
  if (current != nullptr) global_races().synchronises(true);
}
void __threadfence_block() {
  using namespace gemmlab::emulation;
  if (current != nullptr) global_races().synchronises(false);
}
unsigned __activemask() {
  using namespace gemmlab::emulation;
  return current == nullptr ? 1u : run().live(current->warp());
}
