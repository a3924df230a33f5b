#pragma once

// Every CUDA call of the GPU side goes through one of these.

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace gemmlab::gpu {

/// Throws std::runtime_error naming the call, the error and where it happened.
inline void throw_if_failed(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky must not be reported again by the next call
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorName(error) + " (" +
                           cudaGetErrorString(error) + ") at " + file + ":" + std::to_string(line));
}

}  // namespace gemmlab::gpu

/// Checks a call of the CUDA runtime.
#define GEMMLAB_CUDA_CHECK(call) ::gemmlab::gpu::throw_if_failed((call), #call, __FILE__, __LINE__)
