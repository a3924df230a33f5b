#pragma once

// A device's memory and clock, so that one measuring loop serves CPU and GPU. C++17 (read by .cu files).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
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
/// How small work is lifted above the clock's resolution: one launch a sample, many queued, or a replayed
/// graph.
enum class Timing { kLaunch, kBatch, kGraph };

const char* to_string(Scope scope);    // "kernel", "call", "end-to-end", "first-call"
const char* to_string(Timing timing);  // "launch", "batch", "graph"

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;

  /// `count` floats of the device's memory, not initialised. Throws OutOfMemory.
  virtual float* allocate(std::int64_t count) = 0;
  virtual void release(float* memory) = 0;
  virtual void upload(float* device_to, const float* host_from, std::int64_t count) = 0;
  virtual void download(float* host_to, const float* device_from, std::int64_t count) = 0;
  /// Fills with quiet NaN.
  virtual void poison(float* memory, std::int64_t count) = 0;
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
  /// Seconds of the empty sample: what the clock itself costs.
  virtual double clock_overhead_s() = 0;
};

}  // namespace gemmlab
