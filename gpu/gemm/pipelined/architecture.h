#pragma once

// What the estimates of choose.cpp know of a compute capability.

#include <string>
#include <vector>

namespace gemmlab::gpu {

/// A candidate, the share of the FMA rate that it reaches where the SMs are full of it, and what
/// its ends take.
struct Share {
  const char* tile;
  double of_fma_rate;
  double one_by_one = 0.85 * of_fma_rate;  ///< where B is copied by 4 bytes
  double ends = 2500;  ///< cycles until the first tiles are there, and from the last step to the stores
};

/// What is known of a compute capability. Rates are per SM and clock cycle.
struct Architecture {
  int from_compute_capability;
  double fma;         ///< FP32 multiply-adds
  double l2_bytes;    ///< from the L2
  double dram_bytes;  ///< from memory
  std::vector<Share> shares;
};

/// The newest that is not newer.
const Architecture& architecture_of(int compute_capability);
Share share_of(const Architecture& architecture, const std::string& tile);

}  // namespace gemmlab::gpu
