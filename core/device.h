#pragma once

// The devices that implementations run on: a row of data each. What the harness has to know of one stands here,
// so that nothing else asks which one it is. Read by .cu files: C++17 only.

#include <string>

namespace gemmlab {

struct Device {
  const char* name = "";   ///< "gpu": in records, and what ids begin with
  const char* title = "";  ///< "GPU": in texts
  /// Has it a memory of its own, in which operands lie? They then travel there and back; else they lie in the
  /// host's.
  bool own_memory = false;
  /// Do threads of the host compute? They are woken and bound to cores before a sample, and a call may take as
  /// long as it likes: a pilot tells how long.
  bool host_threads = false;
  /// Is work queued, so that many short calls can be replayed from a graph?
  bool queues_work = false;
  /// Does it tell when its clock is held down? What a group has seen of that is then judged for all its points.
  bool tells_throttling = false;
  /// Are its kernels CUDA's? nvcc compiles them, the emulator runs them, and the driver may load them late.
  bool cuda = false;

  // Guesses for a plan, as long as nothing was measured.
  double guessed_flop_per_s = 0;
  double guessed_bytes_per_s = 0;
  double guessed_samples_for_unit = 0;  ///< see runner/planning/estimate.h, Measured

  static const Device kCpu;
  static const Device kGpu;
};

inline bool operator==(const Device& one, const Device& other) {
  return std::string(one.name) == other.name;
}
inline bool operator!=(const Device& one, const Device& other) {
  return !(one == other);
}

// Samples for a unit: the middle of what the committed records of an Intel and an AMD host and an H200 have.
inline constexpr Device Device::kCpu = {.name = "cpu",
                                        .title = "CPU",
                                        .host_threads = true,
                                        .guessed_flop_per_s = 5e9,
                                        .guessed_bytes_per_s = 5e9,
                                        .guessed_samples_for_unit = 0.13 * 0.13};
inline constexpr Device Device::kGpu = {.name = "gpu",
                                        .title = "GPU",
                                        .own_memory = true,
                                        .queues_work = true,
                                        .tells_throttling = true,
                                        .cuda = true,
                                        .guessed_flop_per_s = 2e12,
                                        .guessed_bytes_per_s = 500e9,
                                        .guessed_samples_for_unit = 0.005 * 0.005};

/// THE list.
inline constexpr Device kDevices[] = {Device::kCpu, Device::kGpu};

/// nullptr where there is none of that name.
inline const Device* find_device(const std::string& name) {
  for (const Device& device : kDevices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}
const Device& device_from(const std::string& name);  ///< throws std::invalid_argument

}  // namespace gemmlab
