#include "gpu/gemm/multi/parameters.h"

#include <cuda_runtime.h>

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMostCards = 8;

/// 0 where there is no driver.
int visible_cards() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

}  // namespace

ParameterSpec gpus_parameter() {
  ParameterSpec gpus;
  gpus.name = "gpus";
  gpus.summary = "cards that share the product: the first ones that are visible";
  gpus.minimum = 1;
  gpus.maximum = kMostCards;
  gpus.default_value = std::int64_t{1};
  gpus.told = ", {gpus} cards";
  return gpus;
}

std::string too_few_cards(const Parameters& parameters) {
  const std::int64_t wanted = integer(parameters, "gpus");
  const int visible = visible_cards();
  if (visible == 0 || wanted <= visible) return {};
  return "gpus = " + std::to_string(wanted) + ", and " + std::to_string(visible) + " can be seen here";
}

}  // namespace gemmlab::gpu
