#pragma once

// Programmatic dependent launch: a kernel's blocks come up while those of the one before it end.

#include <cuda_runtime.h>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"

namespace gemmlab::gpu::parts {

/// Lets the next kernel's blocks come up as soon as all of this one's have.
__device__ inline void start_next() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Until the kernel before has ended and all that it wrote can be read. Every block of a kernel that was launched by
/// launch_after() calls it, whatever it does: the one behind it relies on that.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

inline cudaLaunchAttribute launched_early() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

/// `early`: before the kernel in front of it has ended; else as any kernel.
template <typename... Parameters>
void launch_after(bool early, void (*kernel)(Parameters...), dim3 blocks, unsigned threads,
                  const Parameters&... arguments) {
  cudaLaunchAttribute attribute = launched_early();
  cudaLaunchConfig_t launch = {};
  launch.gridDim = blocks;
  launch.blockDim = dim3(threads);
  launch.stream = current_stream();
  launch.attrs = &attribute;
  launch.numAttrs = early ? 1 : 0;
  GEMMLAB_CUDA_CHECK(cudaLaunchKernelEx(&launch, kernel, arguments...));
}

}  // namespace gemmlab::gpu::parts
