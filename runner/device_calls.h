#pragma once

// What the program calls of each device: the functions of its folder, behind the row of core/device.h.
// No columns of that row: core, which kernels include, knows of no device's folder.

#include <memory>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/device.h"
#include "core/implementation.h"
#include "core/machine/ceiling.h"

namespace gemmlab::runner {

struct DeviceCalls {
  Device device;
  const std::vector<const Implementation*>& (*implementations)();
  std::string (*unavailable)();  ///< why it cannot be used here; empty where it can
  std::unique_ptr<Backend> (*make_backend)();
  std::vector<Ceiling> (*measure_ceilings)();
  std::vector<Cost> (*measure_costs)();
};

/// In the order of kDevices.
const std::vector<DeviceCalls>& device_calls();
/// Throws std::out_of_range where there is none.
const DeviceCalls& calls_of(const Device& device);

}  // namespace gemmlab::runner
