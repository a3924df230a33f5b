// Barriers that not all threads reach, and blocks in which nobody can go on.

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

const char* name_of(Meeting meeting) {
  switch (meeting) {
    case Meeting::kSync:
      return "__syncwarp";
    case Meeting::kShuffle:
      return "a shuffle";
    case Meeting::kBallot:
      return "a vote";
    case Meeting::kMatch:
      return "__match_any_sync";
    case Meeting::kTogether:
      return "an instruction of the whole warp";
    default:
      return "a warp reduction";
  }
}

}  // namespace

void Run::tell_divergence(const Thread& waiting, const Thread* elsewhere, const Thread* gone) {
  if (divergence_told_) return;
  divergence_told_ = true;
  Finding finding;
  finding.kind = "barrier-divergence";
  finding.place = waiting.place;
  finding.has_other = true;
  finding.thread = waiting.index;
  if (elsewhere != nullptr) {
    finding.other_place = elsewhere->place;
    finding.other_thread = elsewhere->index;
    finding.text = "Not all threads of the block reach the same barrier: " + thread_text(waiting.index) +
                   " waits at " + place_text(waiting.place) + ", " + thread_text(elsewhere->index) +
                   " at the barrier at " + place_text(elsewhere->place) + ".";
  } else {
    finding.other_thread = gone->index;
    finding.text = "Not all threads of the block reach the barrier at " + place_text(waiting.place) + ": " +
                   thread_text(gone->index) + " has returned before it.";
  }
  finding.kernel = launch_->kernel;
  finding.block = block_index_;
  findings_.add(std::move(finding));
}

/// What a thread that is not at a barrier of all waits for.
std::string Run::waiting_text(const Thread& one) const {
  if (one.state == State::kAtNamed) {
    const auto* barrier = static_cast<const NamedBarrier*>(one.waits_for);
    return "at a named barrier at " + place_text(one.place) + ", where " + std::to_string(barrier->arrived) +
           " of " + std::to_string(barrier->expected) + " threads have come";
  }
  const auto found = meetings_.phases.find(one.waits_for);
  std::string text = "for a phase of an mbarrier at " + place_text(one.place);
  if (found == meetings_.phases.end()) return text;
  const PhaseBarrier& barrier = found->second;
  text += ", which lacks " + std::to_string(barrier.pending) + " of " + std::to_string(barrier.expected) +
          " arrivals";
  if (barrier.bytes != 0) text += " and " + std::to_string(barrier.bytes) + " bytes";
  return text;
}

/// Some threads wait in a warp operation for lanes that never come, or at barriers of a part of the block.
void Run::nobody_goes_on() {
  const Thread* waiting = nullptr;
  const Thread* missing = nullptr;
  for (int i = 0; i < threads_ && missing == nullptr; ++i) {
    const Thread& one = thread(i);
    if (one.state != State::kAtWarp) continue;
    waiting = &one;
    for (int lane = 0; lane < kLanes && missing == nullptr; ++lane) {
      const int number = one.warp() * kLanes + lane;
      if ((one.call.mask >> lane & 1) == 0 || number >= threads_) continue;
      const Thread& other = thread(number);
      const bool same = other.state == State::kAtWarp && other.call.meeting == one.call.meeting &&
                        other.call.mask == one.call.mask;
      if (other.state != State::kDone && !same) missing = &other;
    }
  }
  Finding finding;
  finding.kernel = launch_->kernel;
  finding.block = block_index_;
  finding.fatal = true;
  finding.kind = "deadlock";
  finding.text = "The block never goes on.";
  if (waiting != nullptr) {
    finding.place = waiting->place;
    finding.thread = waiting->index;
    finding.text = "The block never goes on: " + thread_text(waiting->index) + " waits in " +
                   name_of(waiting->call.meeting) + " at " + place_text(waiting->place);
  }
  if (waiting != nullptr && missing != nullptr) {
    finding.has_other = true;
    finding.other_thread = missing->index;
    finding.other_place = missing->place;
    const bool barrier = missing->state == State::kAtBarrier;
    if (!barrier) finding.kind = "warp-divergence";
    finding.text +=
        " for " + thread_text(missing->index) + " of its warp, which waits " +
        (barrier ? "at the barrier at " : "in another warp operation, or with another mask, at ") +
        place_text(missing->place);
  }
  for (int i = 0; i < threads_ && waiting == nullptr; ++i) {
    const Thread& one = thread(i);
    if (one.state != State::kAtNamed && one.state != State::kAtPhase) continue;
    finding.place = one.place;
    finding.thread = one.index;
    finding.text = "The block never goes on: " + thread_text(one.index) + " waits " + waiting_text(one);
    waiting = &one;
  }
  if (waiting != nullptr) finding.text += ".";
  findings_.add(std::move(finding));
  fail(cudaErrorLaunchTimeout);
  ended_ = true;
}

}  // namespace gemmlab::emulation
