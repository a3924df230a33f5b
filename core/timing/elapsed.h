#pragma once

// Time by the host's steady clock, for all that is not a sample itself.

#include <chrono>

namespace gemmlab {

/// Seconds from `start` until now.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace gemmlab
