#pragma once

// The current card: its attributes, and memory on it that is given back by itself.

#include <cuda_runtime.h>

#include <cstddef>

namespace gemmlab::gpu {

/// An attribute of the current device.
int device_attribute(cudaDeviceAttr which);

/// Device memory that its owner gives back. Throws OutOfMemory where there is too little.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory() { cudaFree(data_); }  // a failure here would have been reported by the work that caused it
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data() const { return data_; }
  float* floats() const { return static_cast<float*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A pair of events on one stream: seconds between start() and stop() by the device's clock.
class EventTimer {
 public:
  EventTimer();
  ~EventTimer();
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void start(cudaStream_t stream);
  void stop(cudaStream_t stream);
  double elapsed_s();                  ///< waits for all work between
  double stop_s(cudaStream_t stream);  ///< stops and waits

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

}  // namespace gemmlab::gpu
