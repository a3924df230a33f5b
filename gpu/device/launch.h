#pragma once

// Launches kernels into the stream that the clock surrounds.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"

namespace gemmlab::gpu {

/// Puts a kernel into the current stream.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), std::int64_t blocks, dim3 threads, std::size_t shared_bytes,
            Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = current_stream();
  GEMMLAB_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace gemmlab::gpu
