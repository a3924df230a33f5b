#include "gpu/device/cluster.h"

namespace gemmlab::gpu {
namespace {

__global__ void any_kernel() {}

/// Code for an older compute capability that the driver has translated for this card has no clusters.
bool runs_code_for_clusters() {
  constexpr int kFirst = 90;  // compute capability 9.0
  cudaFuncAttributes attributes;
  GEMMLAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, any_kernel));
  return attributes.binaryVersion >= kFirst && attributes.ptxVersion >= kFirst;
}

}  // namespace

bool has_clusters() {
  static const bool here = runs_code_for_clusters();
  return here;
}

}  // namespace gemmlab::gpu
