#pragma once

// Where threads of a timed sample run, and what else took their cores.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/backend.h"
#include "core/machine/thread_watch.h"

namespace gemmlab::cpu {

/// What surrounds a timed sample on the CPU: before it, idle threads fall asleep, the point's own are woken
/// and bound to cores; after it, what became of them. Nothing here runs while the clock does.
class SampleWatch {
 public:
  SampleWatch();

  /// Backend::settle.
  void settle(const Backend::Call& call);
  /// Just before the clock starts. `key` tells points apart: the threads that its last samples used are bound,
  /// too, and are all that is known where settle() had no call.
  void begin(std::uint64_t key);
  /// Just after it stopped: lets the calling thread go where it likes again, and adds what was
  /// seen to `conditions`.
  void end(Conditions& conditions);
  /// Instead of end(), where the sample threw.
  void abandon();
  /// Nothing more is timed until the next settle().
  void forget_threads() { expected_.clear(); }
  /// The keys will mean other points.
  void forget_keys() {
    forget_threads();
    ran_by_key_.clear();
  }

 private:
  std::vector<int> threads_of_last_time(std::uint64_t key);

  ThreadWatch watch_;
  std::vector<int> expected_;  ///< the threads that the sample will use, as far as is known
  bool to_find_ = false;       ///< settle() had no call: begin() goes by what the key did last
  bool bound_ = false;         ///< by begin()
  std::map<std::uint64_t, std::vector<int>> ran_by_key_;
  std::uint64_t key_ = 0;
  std::optional<double> stolen_s_;  ///< by begin(); empty where the system does not tell
};

}  // namespace gemmlab::cpu
