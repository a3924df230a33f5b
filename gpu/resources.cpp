#include "gpu/resources.h"

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/check.h"

namespace gemmlab::gpu {

bool at_16_bytes(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

Facts kernel_resources(const void* kernel, int threads, std::size_t dynamic_shared_bytes) {
  cudaFuncAttributes attributes;
  GEMMLAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  int blocks = 0;
  GEMMLAB_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic_shared_bytes));
  int device = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  int sm_threads = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  constexpr int kWarp = 32;
  const int warps = (threads + kWarp - 1) / kWarp;  // a block of 16 threads holds a whole warp's place
  return {{"registers", std::int64_t{attributes.numRegs}},
          {"spill_bytes", static_cast<std::int64_t>(attributes.localSizeBytes)},
          {"shared_bytes", static_cast<std::int64_t>(attributes.sharedSizeBytes + dynamic_shared_bytes)},
          {"static_shared_bytes", static_cast<std::int64_t>(attributes.sharedSizeBytes)},
          {"dynamic_shared_bytes", static_cast<std::int64_t>(dynamic_shared_bytes)},
          {"blocks_per_sm", std::int64_t{blocks}},
          {"occupancy", static_cast<double>(blocks) * warps * kWarp / sm_threads}};
}

}  // namespace gemmlab::gpu
