#include "gpu/gemm/pipelined/shared_memory.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "core/rounding.h"
#include "gpu/device/check.h"

namespace gemmlab::gpu {

int shared_percent(const PipelinedCandidate& tile, std::int64_t blocks, const PipelinedCard& card) {
  const std::int64_t on_an_sm =
      std::min<std::int64_t>(blocks_per_sm(tile, card), ceil_div(blocks, std::int64_t{card.sms}));
  const std::int64_t bytes = on_an_sm * (tile.shared_bytes + kReservedBytes);
  return static_cast<int>(ceil_div(kAllShared * bytes, std::int64_t{card.shared_bytes_per_sm}));
}

void allow_shared(const void* kernel, int bytes) {
  GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

void set_shared_aside(const void* kernel, int percent) {
  GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

}  // namespace gemmlab::gpu
