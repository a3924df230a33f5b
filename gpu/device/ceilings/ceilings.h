#pragma once

// How a limit of the card is measured and checked against itself; the limits themselves are in ceilings_*.cu.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/machine/ceiling.h"

namespace gemmlab::gpu {

/// Puts `amount` of some work into the default stream.
using Work = std::function<void(std::int64_t amount)>;

/// A limit to be measured: `amount` units of work, each worth `units_each` operations or bytes.
struct Limit {
  const char* what = "";   ///< as in Ceiling
  const char* level = "";  ///< as in Ceiling
  const char* unit = "";   ///< "GFLOP/s" or "GB/s"
  std::string loop;        ///< one line on the loop, for Ceiling::how
  std::int64_t amount = 0;
  double units_each = 0;
  int least_runs = 12;
  double warm_up_s = 30e-3;  ///< run on until this has gone, for the clock to rise
  double tolerance = 0.05;   ///< twice the work must take twice the time within this share
};

/// The limit from the best of the runs, timed by events at `amount` and at half of it. `how` ends with the
/// number of runs, their median, and the self-check.
Ceiling measure(const Limit& limit, const Work& work);

/// FFMA on all SMs.
Ceiling measure_fma(int sm_count);
/// Read bandwidth of the L2. Throws OutOfMemory.
std::vector<Ceiling> measure_l2(int sm_count);
/// Read and copy bandwidth of DRAM. Throws OutOfMemory.
std::vector<Ceiling> measure_dram(int sm_count);
/// Copies between host and device, page-locked and pageable. Throws OutOfMemory.
std::vector<Ceiling> measure_transfers();
/// Copies from card to card, one and one per card at once, and between the host and all cards at once; none where
/// fewer than two can be seen. Throws OutOfMemory.
std::vector<Ceiling> measure_links_of_cards();

}  // namespace gemmlab::gpu
