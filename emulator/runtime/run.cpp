#include "emulator/runtime/run.h"

#include <algorithm>
#include <ctime>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/calls/kernel_heap.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/limits.h"
#include "emulator/runtime/shared_memory.h"

extern uint3 gemmlab_block_index __asm__("gemmlab_emulation_block_index");
extern dim3 gemmlab_block_extent __asm__("gemmlab_emulation_block_extent");
extern dim3 gemmlab_grid_extent __asm__("gemmlab_emulation_grid_extent");
uint3 gemmlab_block_index{};
dim3 gemmlab_block_extent;
dim3 gemmlab_grid_extent;

namespace gemmlab::emulation {
namespace {

constexpr std::uint64_t kDefaultAccesses = 4'000'000'000;
constexpr double kDefaultSeconds = 600;
constexpr int kTurn = 512;  ///< accesses of a lane before the next warp goes on
/// Between two looks at the clock: what a turn takes is little, and to ask the system is much of a small launch.
constexpr std::uint64_t kTurnsUntimed = 64;

/// What this thread has computed, in seconds: on a busy machine a kernel is no slower by it.
double now_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void one_thread() {
  const Launch& launch = *run().launch_now();
  launch.run(launch.arguments.get());
  async_wait(-1);
  settle_rival(*current);
}

}  // namespace

bool is_launch_index(const void* address) {
  const auto within = [address](const auto& of) {
    return static_cast<std::size_t>(static_cast<const char*>(address) - reinterpret_cast<const char*>(&of)) <
           sizeof of;
  };
  return within(gemmlab_block_index) || within(gemmlab_block_extent) || within(gemmlab_grid_extent);
}

Run& make_run() {
  static Run one;
  return one;
}

Fibers::Body Run::body() {
  return one_thread;
}

Run::Run() : fibers_(body()) {
  begin({});
}

void Run::begin(const GemmlabEmulationLimits& limits) {
  limits_ = limits;
  if (limits_.accesses == 0) limits_.accesses = kDefaultAccesses;
  if (limits_.seconds <= 0) limits_.seconds = kDefaultSeconds;
  findings_.clear();
  launches_.clear();
  launches_left_out_ = 0;
  spent_ = 0;
  computed_s_ = 0;
  error_ = 0;
}

void Run::add(Finding finding) {
  if (launch_ != nullptr) {
    finding.kernel = launch_->kernel;
    finding.line = launch_->line;
  }
  finding.block = block_index_;
  if (current != nullptr) finding.thread = current->index;
  findings_.add(std::move(finding));
}

void Run::end_kernel(Finding finding, int error) {
  finding.fatal = true;
  add(std::move(finding));
  fail(error);
  ended_ = true;
  leave();
  std::abort();  // nobody resumes a thread of a kernel that has ended
}

void Run::note_refusal(const std::string& why, int error) {
  Finding finding;
  finding.kind = "invalid-launch";
  finding.text = refusal(*launch_, error) + why;
  add(std::move(finding));
  noted(static_cast<cudaError_t>(error));
}

void Run::refuse_launch(const std::string& why, int error) {
  note_refusal(why, error);
  ended_ = true;
  leave();
  std::abort();
}

void Run::note_host_memory(HostObject object) {
  if (host_memory_at(object.from) == nullptr) host_objects_.push_back(std::move(object));
}

const Run::HostObject* Run::host_memory_at(const void* address) const {
  for (const HostObject& one : host_objects_) {
    if (static_cast<std::size_t>(static_cast<const char*>(address) - one.from) < one.bytes) return &one;
  }
  return nullptr;
}

void check_block(unsigned long long most_threads) {
  if (current == nullptr) return;
  run().refuse_launch(" It is compiled for at most " + std::to_string(most_threads) +
                          " threads per block (__launch_bounds__).",
                      cudaErrorInvalidValue);
}

void check_cluster(unsigned x, unsigned y, unsigned z) {
  if (current != nullptr) run().need_cluster(dim3(x, y, z));
}

void note_host_memory(const void* memory, std::size_t bytes, const char* name) {
  // what the kernel keeps on its own stack is its own
  if (current == nullptr ||
      static_cast<std::uint64_t>(static_cast<const char*>(memory) - current->stack) < kStackBytes)
    return;
  run().note_host_memory({static_cast<const char*>(memory), bytes, name});
}

void Run::over_budget() {
  if (!parked_.empty() && not_begun_ > 0) return tell_waiting();
  Finding finding;
  finding.kind = "endless";
  finding.place = last_place_;
  finding.text = "The kernel does not come to an end: it was stopped after " + std::to_string(spent_) +
                 " accesses, the last at " + place_text(finding.place) + ".";
  finding.fatal = true;
  add(std::move(finding));
  fail(cudaErrorLaunchTimeout);
  ended_ = true;
}

void Run::spend(std::uint64_t accesses) {
  spent_ += accesses;
  clock_ += accesses;
  bool late = false;
  if (++turns_ % kTurnsUntimed == 0) {
    const double now = now_s();
    if (begun_s_ < 0) begun_s_ = now;
    late = computed_s_ + now - begun_s_ > limits_.seconds;
  }
  if (spent_ > limits_.accesses || late) over_budget();
}

void Run::begin_counts(const Launch& launch, std::uint64_t blocks, std::uint64_t run) {
  LaunchCounts counts;
  counts.kernel = launch.kernel;
  counts.line = launch.line;
  counts.grid = launch.grid;
  counts.block = launch.block;
  counts.dynamic_shared_bytes = launch.shared_bytes;
  counts.blocks = blocks;
  counts.blocks_run = run;
  counts.warps_per_block = static_cast<std::uint64_t>(warps_);
  if (!counts_launches()) launches_.clear();
  launches_.push_back(std::move(counts));
}

std::string Launch::cluster_fault() const {
  const auto text = [](const dim3& of) {
    return std::to_string(of.x) + "×" + std::to_string(of.y) + "×" + std::to_string(of.z);
  };
  const unsigned blocks = blocks_of_cluster();
  if (blocks < 1 || blocks > SharedMemory::kMostBlocks)
    return " A cluster of " + text(cluster) + " blocks is asked for; 1 to " +
           std::to_string(SharedMemory::kMostBlocks) + " are allowed.";
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return " The grid is no multiple of its clusters of " + text(cluster) + " blocks.";
  return {};
}

void Run::need_cluster(const dim3& cluster) {
  const dim3& now = launch_->cluster;
  if (now.x == cluster.x && now.y == cluster.y && now.z == cluster.z) return;
  if (launch_->blocks_of_cluster() != 1)
    refuse_launch(" It is compiled for other clusters (__cluster_dims__).", cudaErrorInvalidClusterSize);
  {  // this stack is left for good below: nothing may live on it then
    Launch wanted = *launch_;
    wanted.cluster = cluster;
    if (const std::string fault = wanted.cluster_fault(); fault.empty()) {
      needed_cluster_ = cluster;
    } else {
      note_refusal(fault, cudaErrorInvalidClusterSize);
    }
  }
  ended_ = true;
  leave();
  std::abort();
}

void Run::launch(const Launch& launch) {
  if (error_ != 0) return;
  if (counts_launches() && launches_.size() == kMostLaunches) {  // too many to be told: none is wanted
    ++launches_left_out_;
    return;
  }
  needed_cluster_ = dim3();
  run_grid(launch);
  if (const dim3 needed = needed_cluster_; needed.x * needed.y * needed.z > 1) {
    // its first thread has said so, and done nothing else
    launches_.pop_back();
    Launch clustered = launch;
    clustered.cluster = needed;
    run_grid(clustered);
  }
  std::vector<std::function<void()>> children;
  children.swap(children_);
  for (const auto& child : children) child();
}

void Run::run_grid(const Launch& launch) {
  blocks_ = static_cast<int>(launch.blocks_of_cluster());
  const std::uint64_t blocks =
      std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z / launch.blocks_of_cluster();
  const std::uint64_t run = limits_.blocks == 0 ? blocks : std::min(blocks, limits_.blocks);
  threads_ = static_cast<int>(launch.block.x * launch.block.y * launch.block.z) * blocks_;
  warps_ = (threads_ + kLanes - 1) / kLanes;
  if (blocks_ > 1 && threads_of_block() % kLanes != 0) {
    Finding finding;
    finding.kind = "not-emulated";
    finding.kernel = launch.kernel;
    finding.line = launch.line;
    finding.text = "Clusters of blocks that are no whole warps cannot be run without a GPU.";
    finding.fatal = true;
    findings_.add(std::move(finding));
    return fail(cudaErrorNotSupported);
  }
  fibers_.want(static_cast<std::size_t>(threads_));
  clocks_.resize(static_cast<std::size_t>(warps_));
  live_.resize(static_cast<std::size_t>(warps_));
  launch_ = &launch;
  ended_ = divergence_told_ = false;
  host_objects_.clear();
  gemmlab_grid_extent = launch.grid;
  gemmlab_block_extent = launch.block;
  shared_memory().begin_launch(launch.shared_bytes, launch.blocks_of_cluster());
  begin_counts(launch, blocks, run);
  begin_caches();
  begun_s_ = -1;
  global_races().begin_launch(run == blocks);
  run_blocks(blocks, run);
  if (begun_s_ >= 0) computed_s_ += now_s() - begun_s_;
  end_counts();
  launch_ = nullptr;
  if (ended_) fibers_.reset();
  if (launch.cooperative) free_grid_barrier();
}

uint3 Run::thread_index(unsigned number) const {
  const dim3& block = launch_->block;
  number %= static_cast<unsigned>(threads_of_block());
  return {number % block.x, number / block.x % block.y, number / block.x / block.y};
}

uint3 Run::block_index(std::uint64_t number) const {
  const dim3& grid = launch_->grid;
  return {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
          static_cast<unsigned>(number / grid.x / grid.y)};
}

std::uint64_t Run::block_of_cluster(std::uint64_t which, int rank) const {
  const dim3 &grid = launch_->grid, &cluster = launch_->cluster;
  const std::uint64_t across = grid.x / cluster.x, down = grid.y / cluster.y;
  const auto own = static_cast<unsigned>(rank);
  const std::uint64_t x = which % across * cluster.x + own % cluster.x;
  const std::uint64_t y = which / across % down * cluster.y + own / cluster.x % cluster.y;
  const std::uint64_t z = which / across / down * cluster.z + own / cluster.x / cluster.y;
  return x + grid.x * (y + grid.y * z);
}

void Run::here_is(std::uint64_t block) {
  block_number_ = block;
  gemmlab_block_index = block_index_ = block_index(block);
  global_races().begin_interval(shared_memory().epoch(), block);
}

/// The thread that runs next is of this block of the cluster.
void Run::enter(int block) {
  if (in_cluster_ == block) return;
  in_cluster_ = block;
  shared_memory().use_block(static_cast<unsigned>(block));
  here_is(block_of_cluster(cluster_, block));
}

void Run::begin_block(std::uint64_t which) {
  shared_memory().begin_block();
  meetings_ = {};
  meetings_.has_clocks = blocks_ > 1;  // a barrier of one block says nothing of the others
  cluster_ = which;
  in_cluster_ = -1;
  for (int block = 0; block < blocks_; ++block) enter(block);
  enter(0);
  for (int i = 0; i < threads_; ++i) {
    Thread& thread = fibers_.threads()[static_cast<std::size_t>(i)];
    thread.index = thread_index(static_cast<unsigned>(i));
    thread.state = State::kReady;
    thread.rival.address = nullptr;
    thread.poll.address = nullptr;
    thread.log.clear();
    thread.copies.clear();
    thread.group = 0;
    thread.waits_for = nullptr;
    thread.clock = 1;
    thread.seen.clear();
    thread.fenced = thread.fenced_epoch = 0;
    thread.fenced_seen.clear();
    thread.bulk.clear();
    thread.bulk_open = 0;
    thread.products.clear();
    if (thread.exits) fibers_.restart(thread);
    thread.exits = false;
  }
  for (int warp = 0; warp < warps_; ++warp) {
    clocks_[static_cast<std::size_t>(warp)].begin();
    const int lanes = std::min(kLanes, threads_ - warp * kLanes);
    live_[static_cast<std::size_t>(warp)] = lanes == kLanes ? kWholeWarp : (1u << lanes) - 1;
  }
}

/// Until all threads have returned, or, false, those that are left wait for other blocks.
bool Run::settle_block() {
  for (;;) {
    const bool progress = run_warps();
    if (ended_) return true;
    if (std::all_of(live_.begin(), live_.end(), [](unsigned live) { return live == 0; })) return true;
    if (blocks_ == 1 && someone_waits_ && waits_for_other_blocks()) return false;
    if (!progress && !release_barriers()) {
      nobody_goes_on();
      return true;
    }
  }
}

bool Run::run_warps() {
  bool progress = false;
  for (int warp = 0; warp < warps_ && !ended_; ++warp) {
    // on, while only the lanes of the warp have to meet
    while (run_warp(warp) && !ended_) {
      progress = true;
      if (!meet_lanes(warp)) break;
    }
  }
  return progress;
}

/// Each lane that can go on has its turn. False: none could.
bool Run::run_warp(int warp) {
  const int first = warp * kLanes;
  const int lanes = std::min(kLanes, threads_ - first);
  if (blocks_ > 1) enter(first / threads_of_block());
  const unsigned live_before = live_[static_cast<std::size_t>(warp)];
  bool ran = false;
  std::uint64_t accesses = 0;
  for (int lane = 0; lane < lanes && !ended_; ++lane) {
    Thread& one = thread(first + lane);
    if (one.state != State::kReady) continue;
    ran = true;
    one.left = kTurn;
    fibers_.resume(one);
    last_place_ = one.place;
    accesses += static_cast<std::uint64_t>(kTurn - one.left);
    if (one.state == State::kDone) live_[static_cast<std::size_t>(warp)] &= ~(1u << lane);
  }
  if (!ran) return false;
  if (counting()) count_warp(warp, first, lanes, live_before);
  if (!ended_) spend(accesses + 1);
  return true;
}

/// All threads that have not returned wait at a barrier: on they go. False: some wait for something else.
bool Run::release_barrier(int block) {
  const int begin = block * threads_of_block(), end = begin + threads_of_block();
  int waiting = 0, left = 0;
  const Thread* one = nullptr;
  const Thread* elsewhere = nullptr;
  const Thread* gone = nullptr;
  int sum = 0, all = 1;
  for (int i = begin; i < end; ++i) {
    const Thread& each = thread(i);
    if (each.state == State::kDone) {
      gone = &each;
      continue;
    }
    ++left;
    if (each.state != State::kAtBarrier) continue;
    ++waiting;
    if (one == nullptr) one = &each;
    if (each.place != one->place) elsewhere = &each;
    sum += each.predicate != 0 ? 1 : 0;
    all &= each.predicate != 0 ? 1 : 0;
  }
  if (waiting != left || one == nullptr) return false;
  if (gone != nullptr || elsewhere != nullptr) tell_divergence(*one, elsewhere, gone);
  for (int i = begin; i < end; ++i) {
    Thread& each = thread(i);
    if (each.state != State::kAtBarrier) continue;
    each.state = State::kReady;
    each.call.result = static_cast<std::uint64_t>(sum) << 1 | static_cast<std::uint64_t>(all);
  }
  if (has_clocks()) {
    std::vector<Thread*> all;
    for (int i = begin; i < end; ++i) {
      if (thread(i).state == State::kReady) all.push_back(&thread(i));
    }
    emulation::meet(all);
  }
  enter(block);
  shared_memory().begin_interval();
  global_races().begin_interval(shared_memory().epoch(), block_number_);
  if (counting()) note_barrier();
  return true;
}

bool Run::release_barriers() {
  bool any = false;
  for (int block = 0; block < blocks_; ++block) any = release_barrier(block) || any;
  return any || release_cluster();
}

/// The same of all blocks of a cluster.
bool Run::release_cluster() {
  std::vector<Thread*> all;
  for (int i = 0; i < threads_; ++i) {
    if (thread(i).state == State::kDone) continue;
    if (thread(i).state != State::kAtCluster) return false;
    all.push_back(&thread(i));
  }
  if (all.empty()) return false;
  for (Thread* each : all) each->state = State::kReady;
  if (has_clocks()) emulation::meet(all);
  for (int block = 0; block < blocks_; ++block) {
    enter(block);
    shared_memory().begin_interval();
    global_races().begin_interval(shared_memory().epoch(), block_number_);
  }
  return true;
}

}  // namespace gemmlab::emulation
