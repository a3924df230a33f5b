#pragma once

// GEMMLAB_TRACE: a line for each shape, of who answered and how long it took, when the program ends.

#include <chrono>
#include <memory>
#include <string>

#include "api/blas/call.h"
#include "api/blas/device_clock.h"

namespace gemmlab::blas {

/// One call, from here to the end of the scope. Does nothing where nothing is traced. Times: by the host's clock where
/// operands lie on the host, else by the device's, where the stream is not being captured.
class Traced {
 public:
  explicit Traced(const Call& call);
  ~Traced();
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  void answered_by(const std::string& id) { by_ = id; }
  void passed_on(const std::string& reason);

 private:
  const Call& call_;
  bool on_;
  std::string by_;
  std::string reason_;
  std::chrono::steady_clock::time_point start_;
  std::unique_ptr<DeviceStretch> stretch_;
};

}  // namespace gemmlab::blas
