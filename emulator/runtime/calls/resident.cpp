// Blocks that wait for others. Blocks run one after the other until one has only threads left that look at the same word
// again and again: it is put aside, threads, shared memory and all, and goes on once others have run, as on a card where
// both are at work at once.

#include <algorithm>
#include <new>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

/// Threads of blocks that wait, each with a stack of its own.
constexpr std::size_t kMostParkedThreads = 8192;
/// Of a grid that meets as a whole: as many as a process can have stacks for.
constexpr std::size_t kMostOfCooperative = 24576;

bool polls(const Thread& thread) {
  return thread.poll.address != nullptr && thread.poll.times >= Run::kManyLooks;
}

}  // namespace

void Run::run_blocks(std::uint64_t blocks, std::uint64_t run) {
  not_begun_ = run;
  for (std::uint64_t i = 0; i < run && !ended_; ++i) {
    while (!room_for_another_block() && !ended_) go_round();
    if (ended_) break;
    --not_begun_;
    begin_block(run == 1 ? 0 : i * (blocks - 1) / (run - 1));
    if (!settle_block()) park();
  }
  // of a grid that is run in part, those that are missing cannot be waited for
  while (!parked_.empty() && !ended_ && run == blocks) go_round();
  drop_parked();
}

/// Does no thread do anything but look?
bool Run::waits_for_other_blocks() const {
  someone_waits_ = false;
  const auto& threads = fibers_.threads();
  return std::all_of(threads.begin(), threads.begin() + threads_,
                     [](const Thread& one) { return one.state != State::kReady || polls(one); });
}

bool Run::room_for_another_block() {
  if (parked_.empty()) return true;
  const std::size_t most = launch_->cooperative ? kMostOfCooperative : kMostParkedThreads;
  if ((parked_.size() + 1) * static_cast<std::size_t>(threads_) > most) return false;
  try {
    fibers_.want(static_cast<std::size_t>(threads_));
    return true;
  } catch (const std::bad_alloc&) {  // a limit of the process: blocks that wait keep what there is
    return false;
  }
}

/// The block that runs now waits; what comes next finds other threads.
void Run::park() {
  Parked now{block_number_, std::move(fibers_),          clocks_,
             live_,         shared_memory().put_aside(), std::move(meetings_)};
  if (spare_.empty()) {
    fibers_ = Fibers(body());
  } else {
    fibers_ = std::move(spare_.back());
    spare_.pop_back();
  }
  parked_.push_back(std::move(now));
}

/// Each block that waits looks once more.
void Run::go_round() {
  std::vector<Parked> waiting;
  waiting.swap(parked_);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (ended_) {
      parked_.push_back(std::move(waiting[i]));
      continue;
    }
    resume(std::move(waiting[i]));
    if (!settle_block()) park();
  }
}

void Run::resume(Parked block) {
  spare_.push_back(std::move(fibers_));
  fibers_ = std::move(block.fibers);
  clocks_ = std::move(block.clocks);
  live_ = std::move(block.live);
  meetings_ = std::move(block.meetings);
  shared_memory().take_back(block.shared);
  here_is(block.number);
  for (Thread& thread : fibers_.threads()) thread.poll.times = 0;
}

/// After a kernel was left in the middle, or a part of its grid was all that was wanted.
void Run::drop_parked() {
  for (Parked& block : parked_) {
    block.fibers.reset();
    spare_.push_back(std::move(block.fibers));
  }
  parked_.clear();
}

/// The budget is spent, blocks wait, and others have not begun.
void Run::tell_waiting() {
  Finding finding;
  finding.kind = "waits-for-later-block";
  finding.place = last_place_;
  finding.kernel = launch_->kernel;
  finding.block = block_index_;
  finding.fatal = true;
  finding.text =
      "Blocks wait at " + place_text(finding.place) +
      " for what none that has begun has done: " + std::to_string(parked_.size()) + " wait, and " +
      std::to_string(not_begun_) +
      " have not begun, since the emulator has no room for more at once. If a later block does it, a card "
      "may run it, where all blocks of the grid find room at once; else it is a loop without end.";
  findings_.add(std::move(finding));
  fail(cudaErrorLaunchTimeout);
  ended_ = true;
}

}  // namespace gemmlab::emulation
