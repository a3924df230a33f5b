#pragma once

// What limits the number of resident blocks of a kernel per SM. Arithmetic only, no CUDA.

#include <cstdint>
#include <string>

namespace gemmlab {

/// What one SM has.
struct SmLimits {
  std::int64_t registers = 0;     ///< of 32 bits
  std::int64_t shared_bytes = 0;  ///< that blocks can share among them
  int threads = 0;
  int blocks = 0;
};

/// What one block asks for.
struct BlockNeeds {
  int threads = 0;
  int registers = 0;              ///< per thread
  std::int64_t shared_bytes = 0;  ///< static, dynamic and what the system reserves
};

/// "registers", "shared memory", "threads", "blocks", or several joined by " and ": what an SM runs out of
/// with as many blocks as it can hold; "none" where these fill its threads. Source: CUDA C++ Programming
/// Guide, compute capabilities (registers go to warps in units of 256, shared memory in units of 128 bytes to
/// blocks).
std::string occupancy_limit(const SmLimits& sm, const BlockNeeds& block);

}  // namespace gemmlab
