#include "gpu/gemm/pipelined/card.h"

#include <cuda_runtime.h>

#include "gpu/device/check.h"
#include "gpu/device/cluster.h"

namespace gemmlab::gpu {
namespace {

PipelinedCard ask_card() {
  int device = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
  };
  PipelinedCard card;
  card.compute_capability =
      10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
  cudaDeviceProp properties;
  GEMMLAB_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  card.name = properties.name;
  card.sms = attribute(cudaDevAttrMultiProcessorCount);
  card.shared_bytes_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  card.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  card.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  card.clusters = has_clusters();
  return card;
}

}  // namespace

const PipelinedCard& this_card() {
  static const PipelinedCard card = ask_card();
  return card;
}

}  // namespace gemmlab::gpu
