#pragma once

// Seconds on the device between two places in a stream. Without CUDA there are none.

#include <memory>
#include <optional>

namespace gemmlab::blas {

/// Begins where it is made. Nobody waits before seconds().
class DeviceStretch {
 public:
  /// nullptr where the stream is being captured, or there is no device.
  static std::unique_ptr<DeviceStretch> begin(void* stream);
  ~DeviceStretch();
  DeviceStretch(const DeviceStretch&) = delete;
  DeviceStretch& operator=(const DeviceStretch&) = delete;

  void end();
  bool is_over() const;
  std::optional<double> seconds() const;  ///< waits for the end; empty where it cannot be told

 private:
  struct Events;
  explicit DeviceStretch(std::unique_ptr<Events> events);
  std::unique_ptr<Events> events_;
};

}  // namespace gemmlab::blas
