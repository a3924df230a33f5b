#include "gpu/access/grid.h"

#include <algorithm>

#include "gpu/access/tally.h"
#include "gpu/device.h"

namespace gemmlab::gpu::accessing {
namespace {

/// The most that `wanted` blocks can have each, so that one more finds no room.
std::size_t shared_share(const void* kernel, int wanted) {
  cudaFuncAttributes attributes;
  GEMMLAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const int fixed = device_attribute(cudaDevAttrReservedSharedMemoryPerBlock) +
                    static_cast<int>(attributes.sharedSizeBytes);
  const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                   static_cast<int>(attributes.sharedSizeBytes);
  constexpr int kStep = 1024;  // in which shared memory is given out, or a multiple of it
  const int share = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / wanted - fixed;
  return static_cast<std::size_t>(std::clamp(share / kStep * kStep, 0, most));
}

}  // namespace

ParameterSpec blocks_parameter() {
  ParameterSpec spec;
  spec.name = "blocks_per_sm";
  spec.summary = "blocks of 256 threads on an SM, held down by shared memory; 0: as many as fit";
  for (std::int64_t blocks = 0; blocks <= 8; ++blocks) spec.choices.emplace_back(blocks);
  spec.default_value = std::int64_t{0};
  return spec;
}

Grid grid_of(const void* kernel, int wanted) {
  Grid grid;
  if (wanted > 0) {
    grid.shared_bytes = shared_share(kernel, wanted);
    GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(grid.shared_bytes)));
  }
  GEMMLAB_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                           wanted > 0 ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutMaxL1));
  GEMMLAB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&grid.blocks_per_sm, kernel, kThreads,
                                                                   grid.shared_bytes));
  grid.blocks = std::min(kMostBlocks,
                         std::max(1, grid.blocks_per_sm) * device_attribute(cudaDevAttrMultiProcessorCount));
  return grid;
}

}  // namespace gemmlab::gpu::accessing
