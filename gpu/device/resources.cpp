#include "gpu/device/resources.h"

#include <cuda_runtime.h>

#include <cstdint>

#include "core/machine/occupancy.h"
#include "core/rounding.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"

namespace gemmlab::gpu {

namespace {

SmLimits sm_limits() {
  return {device_attribute(cudaDevAttrMaxRegistersPerMultiprocessor),
          device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
          device_attribute(cudaDevAttrMaxBlocksPerMultiprocessor)};
}

}  // namespace

bool at_16_bytes(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

Facts kernel_resources(const void* kernel, int threads, std::size_t dynamic_shared_bytes) {
  cudaFuncAttributes attributes;
  GEMMLAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  int blocks = 0;
  GEMMLAB_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic_shared_bytes));
  const SmLimits sm = sm_limits();
  const auto shared_bytes = static_cast<std::int64_t>(attributes.sharedSizeBytes + dynamic_shared_bytes);
  const std::int64_t reserved_bytes = device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
  constexpr int kWarp = 32;
  const int warps = ceil_div(threads, kWarp);  // a block of 16 threads holds a whole warp's place
  return {
      {"registers", std::int64_t{attributes.numRegs}},
      {"spill_bytes", static_cast<std::int64_t>(attributes.localSizeBytes)},
      {"shared_bytes", shared_bytes},
      {"static_shared_bytes", static_cast<std::int64_t>(attributes.sharedSizeBytes)},
      {"dynamic_shared_bytes", static_cast<std::int64_t>(dynamic_shared_bytes)},
      {"blocks_per_sm", std::int64_t{blocks}},
      {"occupancy", static_cast<double>(blocks) * warps * kWarp / sm.threads},
      {"occupancy_limit", occupancy_limit(sm, {threads, attributes.numRegs, shared_bytes + reserved_bytes})}};
}

}  // namespace gemmlab::gpu
