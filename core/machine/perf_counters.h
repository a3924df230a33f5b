#pragma once

// What the processor's own counters say of a stretch of work, through Linux' perf_event_open. No part of any
// measurement of time: counting is a run of its own.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gemmlab {

/// One thing to count, in the words of linux/perf_event.h.
struct PerfEvent {
  const char* name;  ///< in records
  std::uint32_t type;
  std::uint64_t config;
};

/// THE list: cycles, instructions, and loads that missed the nearest cache, the table of pages, the last cache.
const std::vector<PerfEvent>& perf_events();

/// What Linux is asked; a test puts another in its place.
class PerfKernel {
 public:
  struct Reading {
    std::uint64_t count;
    std::uint64_t enabled_ns;  ///< for so long it was to be counted,
    std::uint64_t running_ns;  ///< and for so long it was: less where events take turns
  };

  virtual ~PerfKernel() = default;
  /// The threads of this process.
  virtual std::vector<int> threads() = 0;
  /// A counter of user code on one thread, which stands still at first; below 0: -errno.
  virtual int open(const PerfEvent& event, int thread) = 0;
  virtual void start(int counter) = 0;
  virtual void stop(int counter) = 0;
  virtual std::optional<Reading> read(int counter) = 0;
  virtual void close(int counter) = 0;
};
/// The one that runs here.
std::unique_ptr<PerfKernel> make_perf_kernel();

/// The sum over all threads, or why there is none.
struct PerfCount {
  std::optional<double> value;
  std::string reason{};
};

/// Counts in all threads that this process has when it is made, kernel code left out. An event that was counted
/// for a part of the time only is scaled up.
class PerfCounters {
 public:
  explicit PerfCounters(PerfKernel& kernel);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  void start();
  void stop();
  /// By the names of perf_events(), all of them.
  std::map<std::string, PerfCount> counts() const;

 private:
  struct Event {
    std::vector<int> counters;  ///< one per thread
    std::string reason;         ///< why it is not counted
  };

  PerfKernel& kernel_;
  std::map<std::string, Event> events_;
};

}  // namespace gemmlab
