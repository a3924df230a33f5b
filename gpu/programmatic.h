#pragma once

// Kernels that are started while the one before them in the stream still ends (programmatic dependent launch, compute
// capability 9.0), so that of several kernels of one multiply only the first one's launch takes time. For .cu files.

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/check.h"
#include "gpu/stream.h"

namespace gemmlab::gpu {

/// Does the card run code of this program that waits as such kernels must? Asked for once.
bool programmatic_here();
bool& programmatic_switch();

#ifdef __CUDACC__

/// To be called by all threads of a kernel before they touch memory, if it is launched by launch_behind: waits until
/// the kernel before has ended and what it has written is visible. The kernel behind may be started from here on.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Lets the kernel behind be started, which will wait for this one's end.
__device__ inline void let_next_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Puts a kernel into the current stream that calls wait_for_kernel_before().
template <typename... Parameters, typename... Arguments>
void launch_behind(void (*kernel)(Parameters...), std::int64_t blocks, dim3 threads, std::size_t shared_bytes,
                   Arguments... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = current_stream();
  config.attrs = &early;
  config.numAttrs = programmatic_here() ? 1 : 0;
  GEMMLAB_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

#endif

}  // namespace gemmlab::gpu
