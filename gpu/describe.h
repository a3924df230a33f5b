#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// A GPU row's description; FP32 and not a reference unless its file says more.
inline Description describe(std::string id, std::string summary, std::string source, std::string counterpart,
                            std::vector<ParameterSpec> parameters = {}) {
  Description description;
  description.id = std::move(id);
  description.device = Device::kGpu;
  description.summary = std::move(summary);
  description.source = std::move(source);
  description.counterpart = std::move(counterpart);
  description.parameters = std::move(parameters);
  return description;
}

/// A row that changes one thing of another, and is shown beside it.
inline Description variant_of(std::string id, Description description) {
  description.variant_of = std::move(id);
  return description;
}

}  // namespace gemmlab::gpu
