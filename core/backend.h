#pragma once

// A device's memory and clock, so that one measuring loop serves CPU and GPU. C++17 (read by .cu files).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/implementation.h"

namespace gemmlab {

/// The device has too little memory for what was asked; ends a point as `out-of-memory`.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a sample covers.
enum class Scope { kKernel, kCall, kEndToEnd, kFirstCall };
/// How short work is lifted above the resolution of the clock: one launch per sample, many queued, or a
/// replayed graph.
enum class Timing { kLaunch, kBatch, kGraph };

const char* to_string(Scope scope);         // "kernel", "call", "end-to-end", "first-call"
Scope scope_from(const std::string& name);  ///< throws std::invalid_argument
const char* to_string(Timing timing);       // "launch", "batch", "graph"

/// Where the program's own operands lie when transfers are timed: ordinary memory, or page-locked.
enum class HostMemory { kPageable, kPinned };
const char* to_string(HostMemory memory);  // "pageable", "pinned"

/// Which memory an end-to-end call allocates and frees inside the clock: none; the device's; or the program's
/// own as well, into which the inputs are then written, as in a program that computes once.
enum class Allocation { kNotCounted, kCounted, kHostToo };
const char* to_string(Allocation allocation);  // "not counted", "counted", "host memory too"
/// Throws std::invalid_argument for another word.
Allocation allocation_from(const std::string& name);

/// The state of a device at one moment. What the device does not report stays empty.
struct Reading {
  std::optional<double> clock_mhz;
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<double> energy_j;  ///< used since the driver was loaded
  std::optional<std::vector<std::string>>
      throttle_reasons;  ///< why the clock is held down; empty where it is not
};

/// The energy of a device over part of one sample, long enough to be measured.
struct Energy {
  double joules = 0;
  double seconds = 0;       ///< of the part
  const char* source = "";  ///< kEnergyCounter, kIntegratedPower or kRaplPackage
};
inline constexpr const char* kEnergyCounter = "nvml counter";
inline constexpr const char* kIntegratedPower = "integrated power";
inline constexpr const char* kRaplPackage = "rapl package";

/// The conditions on a device during one sample. What it does not report stays empty.
struct Conditions {
  std::vector<Reading> readings;            ///< GPU: while the sample ran
  std::optional<Energy> energy;             ///< GPU
  std::optional<bool> pinned;               ///< CPU: was each thread bound to a core of its own?
  std::string unbound;                      ///< CPU: why not; empty where each was, or that is not known
  std::vector<int> cores;                   ///< CPU: where the threads that took part were last seen
  int threads_ran = 0;                      ///< CPU: threads that took part; 0 where unknown
  std::optional<double> run_queue_delay_s;  ///< CPU: time that they were ready, but waited for a core; of all
  std::optional<double> steal_s;            ///< CPU: time that the hypervisor took, of one core on average
  std::optional<bool> denormals_flushed;    ///< does the calling thread flush denormals to zero?

  /// Was the clock held down in more of the readings than chance would explain?
  bool held_down() const;
};
/// How many of the readings with throttle reasons may be strays.
inline constexpr double kStrayShare = 0.05;

/// One call of a program whose operands lie in host memory.
struct EndToEnd {
  struct Operand {
    void* host = nullptr;  ///< memory of Backend::allocate_host_bytes
    std::int64_t bytes = 0;
    Direction direction = Direction::kIn;
  };
  std::vector<Operand> operands;  ///< in the operation's order
  Allocation allocation = Allocation::kNotCounted;
  HostMemory host_memory = HostMemory::kPageable;     ///< that all of them lie in
  std::function<void(const Operands& operands)> run;  ///< on the device's memory
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Device& device() const = 0;

  /// Bytes of the device's memory, not initialised, from a multiple of 256. Throws OutOfMemory.
  virtual void* allocate_bytes(std::int64_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual void upload_bytes(void* device_to, const void* host_from, std::int64_t bytes) = 0;
  virtual void download_bytes(void* host_to, const void* device_from, std::int64_t bytes) = 0;
  /// Sets every bit: a quiet NaN in each float, -1 in each whole number.
  virtual void poison_bytes(void* memory, std::int64_t bytes) = 0;

  // The same for elements.
  template <typename T>
  T* allocate(std::int64_t count) {
    return static_cast<T*>(allocate_bytes(bytes_of_elements<T>(count)));
  }
  template <typename T>
  void upload(T* device_to, const T* host_from, std::int64_t count) {
    upload_bytes(device_to, host_from, bytes_of_elements<T>(count));
  }
  template <typename T>
  void download(T* host_to, const T* device_from, std::int64_t count) {
    download_bytes(host_to, device_from, bytes_of_elements<T>(count));
  }
  template <typename T>
  void poison(T* memory, std::int64_t count) {
    poison_bytes(memory, bytes_of_elements<T>(count));
  }

  /// Waits for all work, and throws std::runtime_error where any of it failed.
  virtual void synchronize() = 0;

  virtual std::int64_t free_bytes() = 0;
  virtual std::int64_t last_level_cache_bytes() const = 0;

  /// Seconds of one sample that runs every call in `calls` once, in order (the caller divides by their
  /// number). kLaunch and kBatch bracket the calls with the device's clock; kGraph replays them from a graph
  /// captured at the first sample with this `key` and kept until drop_graphs(). Scope kKernel: device events;
  /// kCall: host clock round the calls and a synchronisation. The CPU has one clock, and treats a graph as a
  /// batch.
  using Call = std::function<void()>;
  virtual double sample(const std::vector<Call>& calls, Scope scope, Timing timing, std::uint64_t key) = 0;
  virtual void drop_graphs() {}

  /// Prepares a timed sample: idle threads of other points fall asleep, an untimed `call` (empty: none) wakes
  /// this point's threads, and those that took part are bound to cores. Does nothing on a GPU.
  virtual void settle(const Call& call);
  /// What was seen during the last sample() or end_to_end_s().
  virtual Conditions conditions() { return {}; }

  /// Begins a stretch of sample() or end_to_end_s() whose energy end_energy() reports as a whole. Until then
  /// conditions() reports no energy.
  virtual void begin_energy() {}
  /// Empty where the device does not tell, or the stretch was too short for it. After it, conditions() tells
  /// of the stretch.
  virtual std::optional<Energy> end_energy() { return {}; }
  /// Why the last end_energy() was empty.
  virtual std::string why_no_energy() const { return "this device tells no energy"; }

  /// Samples like sample(), one straight after the other for as long as `took` says: it is told the seconds of
  /// each, in order, and asked whether another is to follow. A device that is given work ahead runs some more
  /// by then, and `took` is told of those, too. `next` gives the calls of the next sample; those of a graph are
  /// always the same.
  using NextCalls = std::function<const std::vector<Call>&()>;
  using Took = std::function<bool(double seconds)>;
  virtual void sustain(const NextCalls& next, Scope scope, Timing timing, std::uint64_t key,
                       const Took& took);

  /// Host memory for end_to_end_s(), not initialised. Throws OutOfMemory.
  virtual void* allocate_host_bytes(std::int64_t bytes, HostMemory memory) = 0;
  virtual void release_host(void* memory, HostMemory memory_kind) = 0;
  template <typename T>
  T* allocate_host(std::int64_t count, HostMemory memory) {
    return static_cast<T*>(allocate_host_bytes(bytes_of_elements<T>(count), memory));
  }
  /// Seconds by the host's clock of: take memory (if counted), what is read in, run, what is written out,
  /// give memory back (if counted). A CPU has no transfers: there the memory of what is written alone can be
  /// counted. Memory that is not counted is kept for the next call.
  virtual double end_to_end_s(const EndToEnd& work) = 0;

  /// Runs the call between cudaProfilerStart and cudaProfilerStop, where a profiler that waits for them
  /// records; then synchronizes.
  virtual void profiled(const Call& call);

 private:
  template <typename T>
  static constexpr std::int64_t bytes_of_elements(std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(T));
  }
};

}  // namespace gemmlab
