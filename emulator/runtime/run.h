#pragma once

// One call: the launches that it makes, block by block, and what is found and counted.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/exports.h"
#include "emulator/include/gemmlab_cuda_device.h"
#include "emulator/runtime/checks/findings.h"
#include "emulator/runtime/counting/counts.h"
#include "emulator/runtime/meetings.h"
#include "emulator/runtime/shared_memory.h"
#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

/// A kernel with its arguments, ready to run.
struct Launch {
  std::string kernel;
  int line = 0;
  int device = 0;
  dim3 grid;
  dim3 block;
  std::uint64_t shared_bytes = 0;
  dim3 cluster;  ///< blocks of a cluster
  bool cooperative = false;
  std::shared_ptr<void> arguments;
  std::size_t argument_bytes = 0;
  void (*run)(void*) = nullptr;

  unsigned blocks_of_cluster() const { return cluster.x * cluster.y * cluster.z; }
  /// Why there are no such clusters in the grid; empty where there are.
  std::string cluster_fault() const;
};

class Run {
 public:
  void begin(const GemmlabEmulationLimits& limits);
  /// Runs a grid now. What goes wrong is in findings and error().
  void launch(const Launch& launch);

  /// CUDA's error that ended a kernel, and ends all that follows; 0: none.
  int error() const { return error_; }
  void fail(int error) { error_ = error_ == 0 ? error : error_; }
  Findings& findings() { return findings_; }
  /// Those that are counted, at most kMostLaunches, and how many there were besides, which were not run.
  static constexpr std::size_t kMostLaunches = 2000;
  std::vector<LaunchCounts>& launches() { return launches_; }
  std::uint64_t launches_left_out() const { return launches_left_out_; }

  // ---- for a running thread
  const Launch* launch_now() const { return launch_; }
  const uint3& block_now() const { return block_index_; }
  /// Kernels that kernels launch run once the one that launches them has ended.
  void launch_later(std::function<void()> child) { children_.push_back(std::move(child)); }
  std::size_t launched_later() const { return children_.size(); }
  WarpClock& clock(int warp) { return clocks_[static_cast<std::size_t>(warp)]; }
  bool clustered() const { return blocks_ > 1; }
  unsigned rank_in_cluster() const { return static_cast<unsigned>(in_cluster_); }
  /// Whose shared memory a 32-bit address is of.
  unsigned rank_of_window(std::uint32_t at) const {
    const unsigned said = at >> SharedMemory::kRankShift;
    return said == 0 ? rank_in_cluster() : said - 1;
  }
  void at_cluster_barrier();
  /// Have all threads of that block of the cluster returned?
  bool has_left(unsigned rank);
  Meetings& meetings() { return meetings_; }
  bool has_clocks() const { return meetings_.has_clocks; }
  /// nullptr for a thread's number.
  const Agent* agent(int number) const {
    return number < threads_ ? nullptr : &meetings_.agents[static_cast<std::size_t>(number - threads_)];
  }
  /// Who does this sort of work for a thread: its number.
  int agent_for(int sort, int thread, const char* name);
  Actor begin_agent(int agent, Seen& seen);  ///< a new piece of work of it, by one who knows `seen`
  int threads() const { return threads_; }
  int threads_of_block() const { return threads_ / blocks_; }
  /// The current thread is at a barrier for `count` threads; `waits`: until they have come. What the predicates of all came to.
  std::uint64_t at_named(unsigned barrier, unsigned count, bool waits, int predicate);
  /// All threads of the block, as __syncthreads.
  std::uint64_t at_block_barrier(int predicate);
  /// What the lanes of `mask` do as one; see WarpCall.
  void together(unsigned mask, void (*work)(void* const* brought), void* brought);
  std::uint64_t meet_here(const WarpCall& call);  ///< at the current thread's place
  /// Wakes those that wait for the phase that has just ended.
  void wake(const void* barrier);
  void wait_for_phase(const void* barrier, std::uint64_t phase);
  [[noreturn]] void end_thread();
  unsigned live(int warp) const { return live_[static_cast<std::size_t>(warp)]; }
  Thread& thread(int number) { return fibers_.threads()[static_cast<std::size_t>(number)]; }
  uint3 thread_index(unsigned number) const;
  uint3 block_index(std::uint64_t number) const;
  /// Of the tensor cores, at the current thread's place: see ProductKey; and what they, or TMA, move at once.
  void count_products(ProductKey key, std::uint64_t multiply_adds);
  void count_bulk(Space space, Operation operation, const void* at, std::uint64_t bytes);
  bool counts_launches() const { return limits_.counts != 0; }
  bool counting() const { return counts_launches() && blocks_ == 1; }
  LaunchCounts& counts() { return launches_.back(); }
  void add(Finding finding);  ///< with kernel, block and thread of who runs
  [[noreturn]] void end_kernel(Finding finding, int error);
  /// The kernel has clusters by its head (__cluster_dims__), which its launch does not say.
  void need_cluster(const dim3& cluster);
  /// As if the launch had been refused: nothing has been done yet.
  void note_refusal(const std::string& why, int error);
  [[noreturn]] void refuse_launch(const std::string& why, int error);
  /// Memory of the host that the kernel was given a reference to.
  struct HostObject {
    const char* from = nullptr;
    std::size_t bytes = 0;
    std::string name;
  };
  void note_host_memory(HostObject object);
  const HostObject* host_memory_at(const void* address) const;
  std::uint64_t tick(std::uint64_t by) { return clock_ += by; }
  /// A thread's turn is over: does the budget allow another?
  void spend(std::uint64_t accesses);
  /// A thread that has looked at one word so often waits for another to change it.
  static constexpr unsigned kManyLooks = 64;
  void someone_waits() { someone_waits_ = true; }

  Run();

 private:
  static Fibers::Body body();
  void run_grid(const Launch& launch);
  void here_is(std::uint64_t block);
  /// The number of a block by the number of its cluster and its rank there.
  std::uint64_t block_of_cluster(std::uint64_t which, int rank) const;
  void begin_block(std::uint64_t which);
  bool settle_block();
  void run_blocks(std::uint64_t blocks, std::uint64_t run);
  bool waits_for_other_blocks() const;
  void park();
  void go_round();
  bool room_for_another_block();
  void drop_parked();
  void tell_waiting();
  bool run_warps();
  bool run_warp(int warp);
  bool meet_lanes(int warp);
  bool release_barrier(int block);
  bool release_barriers();
  bool release_cluster();
  void enter(int block);
  void nobody_goes_on();
  std::string waiting_text(const Thread& one) const;
  void tell_divergence(const Thread& waiting, const Thread* elsewhere, const Thread* gone);
  void over_budget();
  void begin_caches();
  void count_warp(int warp, int first, int lanes, unsigned live);
  void note_barrier();
  void end_counts();
  void begin_counts(const Launch& launch, std::uint64_t blocks, std::uint64_t run);
  struct Parked;
  void resume(Parked block);

  GemmlabEmulationLimits limits_{};
  Findings findings_;
  std::vector<LaunchCounts> launches_;
  std::uint64_t launches_left_out_ = 0;
  std::uint64_t turns_ = 0;  ///< of warps
  Fibers fibers_;
  std::unique_ptr<Caches> caches_;
  const Launch* launch_ = nullptr;
  uint3 block_index_{};
  std::uint64_t block_number_ = 0;
  /// A block whose threads all wait for what another has to do. On a card the others run meanwhile.
  struct Parked {
    std::uint64_t number = 0;
    Fibers fibers;
    std::vector<WarpClock> clocks;
    std::vector<unsigned> live;
    SharedMemory::Image shared;
    Meetings meetings;
  };
  std::vector<Parked> parked_;
  std::vector<Fibers> spare_;
  std::uint64_t not_begun_ = 0;  ///< blocks
  mutable bool someone_waits_ = false;
  // A cluster runs as one block of `blocks_` times as many threads, each part with its own shared memory and barriers.
  int threads_ = 0, warps_ = 0;
  int blocks_ = 1;
  int in_cluster_ = 0;         ///< whose thread runs
  std::uint64_t cluster_ = 0;  ///< its number
  dim3 needed_cluster_;
  Meetings meetings_;
  std::vector<std::function<void()>> children_;
  std::vector<WarpClock> clocks_;
  std::vector<unsigned> live_;
  std::uint64_t spent_ = 0;
  std::uint64_t clock_ = 0;
  double computed_s_ = 0;  ///< in launches before this one
  double begun_s_ =
      -1;  ///< the first look at the clock in this launch, by that of the host's thread that made it; -1: none yet
  std::uint32_t last_place_ = 0;  ///< of the thread that ran last
  int error_ = 0;
  bool ended_ = false;  ///< this kernel, by a fatal finding
  std::vector<HostObject> host_objects_;
  bool divergence_told_ = false;
};

/// Is it blockIdx, blockDim or gridDim, which every kernel reads?
bool is_launch_index(const void* address);

Run& make_run();
inline Run& run() {
  static Run* const one = &make_run();
  return *one;
}

/// What the current thread does now, for the counts; where it has had its turn, the next warp goes on.
inline void note(const Access& access, bool counted = true) {
  if (counted && run().counting()) {
    current->log.push_back(access);
    current->log.back().round = current->round;
  }
  if (--current->left <= 0) leave();
}

/// async_copy() of the current thread where it is noted to be.
void async_copy_here(void* shared, const void* global, std::size_t bytes, std::size_t source_bytes);

/// Position of an instruction in this library.
std::uint32_t place_of(const void* return_address);

}  // namespace gemmlab::emulation
