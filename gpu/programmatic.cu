#include "gpu/programmatic.h"

namespace gemmlab::gpu {
namespace {

__global__ void any_kernel() {}

bool ask() {
  constexpr int kFirst = 90;  // compute capability 9.0
  cudaFuncAttributes attributes;
  GEMMLAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, any_kernel));
  return attributes.binaryVersion >= kFirst;
}

}  // namespace

bool& programmatic_switch() {
  static bool on = true;
  return on;
}

bool programmatic_here() {
  static const bool here = ask();
  return here && programmatic_switch();
}

}  // namespace gemmlab::gpu
