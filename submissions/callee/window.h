#pragma once

// A window on a GPU: calls one after the other between two readings of the judge's clock.

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "gpu/device/device.h"
#include "submissions/callee/callee.h"

namespace gemmlab::submissions {

class GpuWindow {
 public:
  ~GpuWindow();
  /// Memory for the Cs, all poisoned; the card awake, and the callable: `untimed` calls on inputs out of a key that is no secret.
  void prepare(const Request& request, Callable& callable, float* a, float* b);
  /// A and B are made anew for each call. `seconds`: the mean of the calls by the card's events.
  void run(const Request& request, Callable& callable, float* a, float* b, Reply& reply);
  void bring(const Request& request, float* to) const;

 private:
  struct Pair {
    cudaEvent_t start = nullptr, stop = nullptr;
  };
  float* c(const Request& request, int number) const;

  std::unique_ptr<gpu::DeviceMemory> cs_, room_, seals_, done_;
  std::vector<Pair> events_;  ///< of each call
};

}  // namespace gemmlab::submissions
