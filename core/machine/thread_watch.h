#pragma once

// Which threads of this process work, for how long, and on which cores: libraries do not say what their own
// threads do, so Linux is asked.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gemmlab {

/// The threads that ran between two looks.
struct ThreadsRan {
  std::vector<int> tids;  ///< rising; those that are still there
  /// Others worked that are gone by now, as those of a library that makes its threads anew for each call.
  bool came_and_went = false;
};

/// What the scheduler did to some threads between two looks.
struct ThreadsSeen {
  std::vector<int> cores;        ///< rising, each once: the processors that they were last on
  bool each_on_its_own = false;  ///< every one is bound, was last where it is bound to, and shares with none
  std::optional<double>
      run_queue_delay_s;  ///< ready to run, but waiting for a processor; of those read at the start
};

/// Watches the threads of this process, and binds them to cores. Used by one thread, the caller, which is
/// bound for a short time only: threads that it creates inherit what it is bound to.
class ThreadWatch {
 public:
  ThreadWatch() = default;
  ~ThreadWatch();
  ThreadWatch(const ThreadWatch&) = delete;
  ThreadWatch& operator=(const ThreadWatch&) = delete;

  /// Waits until all other threads that ran since the last start() sleep, at most `longest_s`. False where
  /// one of them ran still.
  bool wait_until_others_sleep(double longest_s);

  /// A span to watch begins: notes how long every thread has run, and how long `delayed` have waited.
  void start(const std::vector<int>& delayed = {});
  /// The threads that ran since start(); the caller always did.
  ThreadsRan ran();
  /// What became of `tids` since start(). Reads two small files per thread, 3 µs.
  ThreadsSeen seen(const std::vector<int>& tids);

  /// Binds each thread to a core of its own, the caller to the first; unbinds all where there are more
  /// threads than cores, or the system refuses. True where they are bound; free of charge where they were.
  bool bind(const std::vector<int>& tids);
  void unbind_caller();
  void unbind_all();
  /// Are all of them there still?
  bool alive(const std::vector<int>& tids) const;

 private:
  struct Thread {
    std::int64_t ran_ns = 0;     ///< at start()
    std::int64_t delay_ns = -1;  ///< at start(); -1 where it was not read
    int bound_to = -1;
    int schedstat_file = -1;  ///< opened at the first need, and kept while the thread lives
    int stat_file = -1;
  };
  using Threads = std::map<int, Thread>;  ///< by the id that the kernel goes by

  void look_for_threads();
  Threads::iterator forget(Threads::iterator thread);
  void unbind(Threads::value_type& thread);

  Threads threads_;
  std::int64_t process_ran_ns_ = 0;  ///< at start()
  bool caller_was_bound_ = false;    ///< since threads were last looked for
};

/// The id of the calling thread.
int this_thread_id();

}  // namespace gemmlab
