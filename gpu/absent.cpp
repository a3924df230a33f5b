// The GPU side of a build without CUDA: the functions of table.h, with nothing behind them.

#include <stdexcept>

#include "gpu/table.h"

namespace gemmlab::gpu {

bool built_with_cuda() {
  return false;
}

const std::vector<const Implementation*>& implementations() {
  static const std::vector<const Implementation*> none;
  return none;
}

std::vector<GpuInfo> gpus() {
  return {};
}

std::string unavailable() {
  return "built without CUDA";
}

void use_stream(void*) {}

std::unique_ptr<Backend> make_backend() {
  throw std::runtime_error("no GPU backend: " + unavailable());
}

std::vector<Ceiling> measure_ceilings() {
  return {};
}

std::vector<Cost> measure_costs() {
  return {};
}

}  // namespace gemmlab::gpu
