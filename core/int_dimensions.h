#pragma once

// Why a library with 32-bit dimensions refuses an instance, in the same words for all of them.

#include <climits>
#include <cstdint>
#include <string>

namespace gemmlab {

/// Why a library whose dimensions are int refuses the largest of an instance's; empty where it does not.
inline std::string too_long_for_int(std::int64_t largest) {
  if (largest <= INT_MAX) return {};
  return "its interface has 32-bit dimensions: " + std::to_string(largest) + " is above " +
         std::to_string(INT_MAX);
}

}  // namespace gemmlab
