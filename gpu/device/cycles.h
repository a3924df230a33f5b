#pragma once

// Cycles of the SM's own clock round the work of one thread, as the last run left them.

#include <cuda_runtime.h>

#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"

namespace gemmlab::gpu {

class Cycles {
 public:
  Cycles() : memory_(sizeof(long long)) {
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(memory_.data(), 0, memory_.bytes(), current_stream()));
  }
  long long* device() const { return static_cast<long long*>(memory_.data()); }
  /// Waits for the stream's work.
  double read() const {
    long long cycles = 0;
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(&cycles, memory_.data(), sizeof(cycles), cudaMemcpyDeviceToHost, current_stream()));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
    return static_cast<double>(cycles);
  }

 private:
  DeviceMemory memory_;
};

#ifdef __CUDACC__
/// Neither the compiler nor the assembler moves it past a volatile load or store.
__device__ inline long long clock_now() {
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}
#endif

}  // namespace gemmlab::gpu
