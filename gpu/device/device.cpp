#include "gpu/device/device.h"

#include <string>

#include "core/backend.h"
#include "gpu/device/check.h"

namespace gemmlab::gpu {

int device_attribute(cudaDeviceAttr which) {
  int device = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  int value = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
  const cudaError_t error = cudaMalloc(&data_, bytes == 0 ? 1 : bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // not sticky: the context lives on, and the next check must not see it
    std::size_t free = 0;
    std::size_t total = 0;
    GEMMLAB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    throw OutOfMemory("cudaMalloc of " + std::to_string(bytes) + " bytes: the GPU has " +
                      std::to_string(free) + " of " + std::to_string(total) + " bytes free");
  }
  throw_if_failed(error, "cudaMalloc", __FILE__, __LINE__);
}

EventTimer::EventTimer() {
  GEMMLAB_CUDA_CHECK(cudaEventCreate(&start_));
  GEMMLAB_CUDA_CHECK(cudaEventCreate(&stop_));
}

EventTimer::~EventTimer() {
  if (start_) cudaEventDestroy(start_);
  if (stop_) cudaEventDestroy(stop_);
}

void EventTimer::start(cudaStream_t stream) {
  GEMMLAB_CUDA_CHECK(cudaEventRecord(start_, stream));
}

void EventTimer::stop(cudaStream_t stream) {
  GEMMLAB_CUDA_CHECK(cudaEventRecord(stop_, stream));
}

double EventTimer::elapsed_s() {
  GEMMLAB_CUDA_CHECK(cudaEventSynchronize(stop_));
  float elapsed_ms = 0;
  GEMMLAB_CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, start_, stop_));
  return elapsed_ms * 1e-3;
}

double EventTimer::stop_s(cudaStream_t stream) {
  stop(stream);
  return elapsed_s();
}

}  // namespace gemmlab::gpu
