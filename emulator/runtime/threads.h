#pragma once

// A block's threads, each a fiber: what it runs on, what it waits for, what it has touched.

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/include/gemmlab_cuda_types.h"

namespace gemmlab::emulation {

inline constexpr int kLanes = 32;
inline constexpr unsigned kWholeWarp = 0xffffffffu;

enum class Space : std::uint8_t { kGlobal, kShared };
enum class Operation : std::uint8_t { kLoad, kStore, kAtomic };

/// One access of one thread.
struct Access {
  std::uint64_t at;  ///< offset in the space's arena
  std::uint32_t place;
  std::uint8_t bytes;
  Space space;
  Operation operation;
  bool asynchronous = false;
  bool alone = false;        ///< volatile: never joined with its neighbours
  std::uint16_t round = 0;   ///< see Thread
  std::uint64_t source = 0;  ///< of an asynchronous copy's store: where it comes from
};

/// A copy from global to shared memory that has been begun.
struct AsyncCopy {
  void* to;
  std::uint32_t place;
  std::uint32_t group;
  std::uint8_t bytes;
  char data[16];  ///< what the source held at the beginning
};

/// Copies of a thread out of shared memory, under way.
struct BulkGroup {
  std::uint32_t group;
  std::uint32_t clock;  ///< of who reads for it
};

/// kAtCluster: at a barrier of a cluster; kAtNamed: of a part of the block; kAtPhase: until an mbarrier's phase ends.
enum class State : std::uint8_t { kReady, kAtBarrier, kAtWarp, kAtCluster, kAtNamed, kAtPhase, kDone };
enum class Meeting : std::uint8_t { kSync, kShuffle, kBallot, kMatch, kReduce, kTogether };

/// What a lane brings to the others of its warp, and what it takes away.
struct WarpCall {
  Meeting meeting = Meeting::kSync;
  int kind = 0;  ///< Shuffle or Reduction
  unsigned mask = 0;
  std::uint64_t value = 0;
  int lane_or_delta = 0;
  int width = kLanes;
  std::uint64_t result = 0;
  /// kTogether: what the lanes do as one, given what each brought; nullptr for a lane that is not there.
  void (*together)(void* const* brought) = nullptr;
  void* brought = nullptr;
};

struct Thread {
  boost::context::detail::fcontext_t context = nullptr;
  char* stack = nullptr;
  uint3 index{};
  std::uint16_t number = 0;  ///< within the block
  State state = State::kDone;
  std::uint32_t place = 0;  ///< where it waits, or where it last touched memory
  int left = 0;             ///< accesses until the next warp's turn
  int predicate = 0;        ///< of __syncthreads_count and the like
  std::uint16_t round = 0;  ///< of loops that are unrolled in part, all together
  WarpCall call;
  /// A store to what another thread has touched with nothing between them: a race unless the value stays the same.
  struct {
    const char* address = nullptr;
    std::uint8_t bytes = 0;
    char before[16];
    std::uint32_t place = 0, other_place = 0;
    std::uint16_t other = 0;
    // in global memory:
    std::uint32_t other_epoch = 0;
    Operation doing = Operation::kStore, other_doing = Operation::kStore;
  } rival;
  /// What it looks at again and again, and finds unchanged.
  struct {
    const void* address = nullptr;
    std::uint64_t value = 0;
    unsigned times = 0;
  } poll;
  std::vector<Access> log;
  std::vector<AsyncCopy> copies;    ///< under way
  std::uint32_t group = 0;          ///< of copies: the open one
  const void* waits_for = nullptr;  ///< kAtNamed, kAtPhase: the barrier
  std::uint64_t waits_value = 0;    ///< kAtPhase: which phase
  // What it knows of others, and what others may know of it: checks/clocks.h.
  std::uint32_t clock = 1;
  std::vector<std::uint32_t> seen;
  std::uint32_t fenced = 0;        ///< its clock at its last fence towards the asynchronous proxy
  std::uint32_t fenced_epoch = 0;  ///< and the block's interval then
  std::vector<std::uint32_t> fenced_seen;
  std::vector<BulkGroup> bulk;          ///< copies out of shared memory that it has asked for
  std::uint32_t bulk_open = 0;          ///< the number of the group that is open
  std::vector<std::uint32_t> products;  ///< groups of wgmma under way: the clock of who reads for each
  bool packs = false;  ///< it launches a kernel: what its own code writes then is the runtime's
  bool exits = false;  ///< it has left its kernel in the middle

  int lane() const { return number % kLanes; }
  int warp() const { return number / kLanes; }
};

/// When two lanes of a warp last waited for each other (__syncwarp).
struct WarpClock {
  std::uint32_t now = 1;
  std::uint32_t all = 0;                ///< when all lanes met
  std::vector<std::uint32_t> in_pairs;  ///< when two lanes met in a smaller group; empty: never

  void begin();
  void meet(unsigned mask, unsigned live);
  bool ordered(int lane, int other, std::uint32_t since) const;
};

/// The thread that runs now; nullptr: the host's code. Of each thread of the host, since one may be in its own code while another's
/// kernel runs. Every access asks for it, so it is found without a call.
extern constinit thread_local Thread* current __attribute__((tls_model("initial-exec")));

/// Stacks of the threads of the largest block so far; a thread's code is `body`.
class Fibers {
 public:
  using Body = void (*)();
  explicit Fibers(Body body) : body_(body) {}
  Fibers(Fibers&&) = default;
  Fibers& operator=(Fibers&&) = default;

  std::vector<Thread>& threads() { return threads_; }
  const std::vector<Thread>& threads() const { return threads_; }
  void want(std::size_t count);
  /// After its kernel was left in the middle.
  void restart(Thread& thread) { prepare(thread); }
  /// After a kernel was left in the middle: all begin anew.
  void reset();
  /// Runs a thread until it waits, is done or has had its turn.
  void resume(Thread& thread);

 private:
  void prepare(Thread& thread);
  Body body_;
  std::vector<Thread> threads_;
};

/// Back to who resumed the current thread.
void leave();

inline constexpr std::size_t kStackBytes = 128 << 10;

}  // namespace gemmlab::emulation
