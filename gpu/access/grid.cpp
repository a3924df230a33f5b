#include "gpu/access/grid.h"

#include <algorithm>

#include "core/session_row.h"
#include "gpu/access/tally.h"
#include "gpu/device/device.h"

namespace gemmlab::gpu::accessing {
namespace {

int static_shared_bytes(const void* kernel) {
  cudaFuncAttributes attributes;
  GEMMLAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return static_cast<int>(attributes.sharedSizeBytes);
}

/// The most dynamic shared memory that a block can have.
int most_shared(const void* kernel) {
  return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - static_shared_bytes(kernel);
}

/// The most that `wanted` blocks can have each, so that one more finds no room.
std::size_t shared_share(const void* kernel, int wanted) {
  const int fixed = device_attribute(cudaDevAttrReservedSharedMemoryPerBlock) + static_shared_bytes(kernel);
  constexpr int kStep = 1024;  // in which shared memory is given out, or a multiple of it
  const int share = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / wanted - fixed;
  return static_cast<std::size_t>(std::clamp(share / kStep * kStep, 0, most_shared(kernel)));
}

}  // namespace

ParameterSpec blocks_parameter() {
  std::vector<ParameterValue> numbers;
  for (std::int64_t blocks = 0; blocks <= 8; ++blocks) numbers.emplace_back(blocks);
  return choice("blocks_per_sm",
                "blocks of 256 threads on an SM, limited by shared memory; 0: as many as fit", numbers,
                std::int64_t{0}, ", {blocks_per_sm} blocks per SM");
}

Grid grid_of(const void* kernel, int wanted) {
  Grid grid;
  if (wanted > 0) {
    grid.shared_bytes = shared_share(kernel, wanted);
    // as much for every session of the kernel: another one's may be less
    GEMMLAB_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared(kernel)));
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
