#include "gpu/gemm/pipelined/architecture.h"

namespace gemmlab::gpu {
namespace {

/// From 9.0 an FFMA fills the issue slot, so a tile's share falls with its other instructions; 8.0 issues
/// twice as fast as it multiplies. Before 8.0 copies are waited for, which more and smaller blocks hide.
const std::vector<Architecture> kArchitectures = {
    // fitted to the times of every tile, split and copy at 30 shapes on an H200: what it picks there takes
    // 1.01 times the best of them in geometric mean, 1.09 at the worst
    {90,
     128,
     17.7,
     18,
     {{"256x128", 0.887, 0.79, 2100},
      {"256x128x8", 0.872, 0.76, 2100},
      {"128x128", 0.900, 0.69, 2200},
      {"128x128x8", 0.875, 0.80, 1700},
      {"128x64", 0.885, 0.75, 3100},
      {"64x64", 0.885, 0.62, 2900},
      {"64x32", 0.88, 0.54, 2900},
      {"32x32", 0.62, 0.33, 3400},
      {"16x128", 0.60, 0.28, 2700},
      {"128x32", 0.82, 0.70, 4600},
      {"128x16", 0.41, 0.36, 3800}}},
    {86,
     128,
     16,
     4,
     {{"256x128", 0.80},
      {"256x128x8", 0.79},
      {"128x128", 0.76},
      {"128x128x8", 0.81},
      {"128x64", 0.74},
      {"64x64", 0.68},
      {"64x32", 0.62},
      {"128x32", 0.66},
      {"32x32", 0.52},
      {"16x128", 0.5},
      {"128x16", 0.5}}},
    {80,
     64,
     24,
     12,
     {{"256x128", 0.92},
      {"256x128x8", 0.91},
      {"128x128", 0.93},
      {"128x128x8", 0.91},
      {"128x64", 0.90},
      {"64x64", 0.86},
      {"64x32", 0.80},
      {"128x32", 0.83},
      {"32x32", 0.7},
      {"16x128", 0.7},
      {"128x16", 0.7}}},
    {0,
     64,
     20,
     5,
     {{"128x128x8", 0.65},
      {"128x128", 0.60},
      {"128x64", 0.58},
      {"64x64", 0.55},
      {"64x32", 0.50},
      {"128x32", 0.52},
      {"32x32", 0.45},
      {"16x128", 0.45},
      {"128x16", 0.45}}},
};

}  // namespace

const Architecture& architecture_of(int compute_capability) {
  for (const Architecture& architecture : kArchitectures) {
    if (compute_capability >= architecture.from_compute_capability) return architecture;
  }
  return kArchitectures.back();
}

Share share_of(const Architecture& architecture, const std::string& tile) {
  for (const Share& share : architecture.shares) {
    if (tile == share.tile) return share;
  }
  return {"", 0.3};
}

}  // namespace gemmlab::gpu
