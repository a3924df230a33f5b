#include <cuda_runtime.h>

#include <utility>

#include "api/blas/device_clock.h"
#include "api/device.h"

namespace gemmlab::blas {

struct DeviceStretch::Events {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;

  ~Events() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
};

DeviceStretch::DeviceStretch(std::unique_ptr<Events> events) : events_(std::move(events)) {}
DeviceStretch::~DeviceStretch() = default;

std::unique_ptr<DeviceStretch> DeviceStretch::begin(void* stream) {
  const api::RelaxedCapture relaxed;
  if (api::is_captured(stream)) return nullptr;
  auto events = std::make_unique<Events>();
  events->stream = static_cast<cudaStream_t>(stream);
  if (cudaEventCreate(&events->start) != cudaSuccess || cudaEventCreate(&events->stop) != cudaSuccess)
    return nullptr;
  cudaEventRecord(events->start, events->stream);
  return std::unique_ptr<DeviceStretch>(new DeviceStretch(std::move(events)));
}

void DeviceStretch::end() {
  cudaEventRecord(events_->stop, events_->stream);
}

bool DeviceStretch::is_over() const {
  return cudaEventQuery(events_->stop) != cudaErrorNotReady;
}

std::optional<double> DeviceStretch::seconds() const {
  float elapsed_ms = 0;
  if (cudaEventSynchronize(events_->stop) != cudaSuccess) return std::nullopt;
  if (cudaEventElapsedTime(&elapsed_ms, events_->start, events_->stop) != cudaSuccess) return std::nullopt;
  return elapsed_ms * 1e-3;
}

}  // namespace gemmlab::blas
