#include "runner/device_calls.h"

#include <algorithm>
#include <stdexcept>

#include "cpu/table.h"
#include "gpu/table.h"

namespace gemmlab::runner {

const std::vector<DeviceCalls>& device_calls() {
  static const std::vector<DeviceCalls> all = {
      {Device::kCpu, cpu::implementations, [] { return std::string(); }, cpu::make_backend,
       cpu::measure_ceilings, cpu::measure_costs},
      {Device::kGpu, gpu::implementations, gpu::unavailable, gpu::make_backend, gpu::measure_ceilings,
       gpu::measure_costs}};
  return all;
}

const DeviceCalls& calls_of(const Device& device) {
  for (const DeviceCalls& calls : device_calls()) {
    if (calls.device == device) return calls;
  }
  throw std::out_of_range(std::string("no functions of the device ") + device.name);
}

}  // namespace gemmlab::runner
