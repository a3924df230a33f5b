#pragma once

// Fills in what the descriptions of all GPU rows have in common.

#include <utility>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// The description of a GPU row: describe({.id = "gpu.naive", .summary = …}), without what is empty.
inline Description describe(Description description) {
  description.device = Device::kGpu;
  return description;
}

}  // namespace gemmlab::gpu
