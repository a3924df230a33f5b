#include "gpu/gemm/pipelined/architecture.h"

namespace gemmlab::gpu {
namespace {

/// From 9.0 an FFMA fills the issue slot, so a tile's share falls with its other instructions; 8.0 issues
/// twice as fast as it multiplies. Before 8.0 copies are waited for, which more and smaller blocks hide.
const std::vector<Architecture> kArchitectures = {
    // fitted to the times of every tile, split and copy on an H200: at 19 shapes, most of them short, thin or odd, what
    // it picks takes 1.01 times the best of them in geometric mean, 1.08 at the worst
    {90,
     128,
     17.7,
     18,
     {{"256x128", 0.887, 0.79, 2100},
      {"128x128", 0.900, 0.69, 2200},
      {"128x128x8", 0.875, 0.80, 1700},
      {"128x64", 0.885, 0.75, 3100},
      {"64x64", 0.885, 0.62, 2900},
      {"64x64x16", 0.84, 0.68, 1500},
      {"64x64x8", 0.74, 0.53, 700},
      {"128x64x16", 0.84, 0.73, 1500},
      {"32x32x16", 0.56, 0.36, 700},
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
      {"128x128", 0.76},
      {"128x128x8", 0.81},
      {"128x64", 0.74},
      {"64x64", 0.68},
      {"64x64x16", 0.64},
      {"64x64x8", 0.55},
      {"128x64x16", 0.70},
      {"32x32x16", 0.45},
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
      {"128x128", 0.93},
      {"128x128x8", 0.91},
      {"128x64", 0.90},
      {"64x64", 0.86},
      {"64x64x16", 0.82},
      {"64x64x8", 0.70},
      {"128x64x16", 0.86},
      {"32x32x16", 0.60},
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
      {"64x64x16", 0.53},
      {"64x64x8", 0.48},
      {"128x64x16", 0.55},
      {"32x32x16", 0.40},
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
