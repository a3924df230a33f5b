#pragma once

// Times calls with the transfers of their operands: the scope end-to-end.

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "core/backend.h"
#include "gpu/device/device.h"

namespace gemmlab::gpu {

/// A call whose operands lie in host memory, by the host's clock.
class EndToEndClock {
 public:
  explicit EndToEndClock(cudaStream_t stream) : stream_(stream) {}

  /// See Backend::end_to_end_s. Device memory that is not counted is kept until other sizes are asked for.
  double sample_s(const EndToEnd& work);
  /// Gives back the device memory that is kept.
  void release() { kept_.reset(); }

 private:
  /// Device memory for every operand.
  class OnDevice {
   public:
    explicit OnDevice(const EndToEnd& work);
    bool fit(const EndToEnd& work) const;
    const Operands& operands() const { return operands_; }

   private:
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
    Operands operands_;
  };
  void run(const EndToEnd& work, const OnDevice& on_device);
  double with_kept_s(const EndToEnd& work);
  double with_own_s(const EndToEnd& work);
  double with_host_s(const EndToEnd& work);

  cudaStream_t stream_;
  std::unique_ptr<OnDevice> kept_;
};

}  // namespace gemmlab::gpu
