#include "gpu/gemm/matrix_tuned/choose.h"

#include <algorithm>
#include <limits>

#include "core/rounding.h"
#include "gpu/gemm/wgmma/arguments.h"

namespace gemmlab::gpu::tensor_core {
namespace {

constexpr int kLeastSteps = 4;  // of a part
constexpr int kMostParts = 64;

// Of a multiprocessor, in cycles: fitted to 290 times measured on an H200 and an H100 (docs/notebook/gpu_tensor_core.md).
constexpr double kByteProducts = 2048 * 2;  // bytes of A times columns of B, a cycle: all that wgmma does
constexpr double kFromL2 = 47;              // bytes a cycle
constexpr double kLatency = 1260;   // of what is asked for: a ring's bytes come in so many cycles at best
constexpr double kStep = 62;        // between a step and the next
constexpr double kFromMemory = 34;  // bytes a cycle, of what no tile has read before
constexpr double kFirst = 4000;     // launch, the first stage's way, and the last sums'
constexpr double kCluster = 760;    // more where blocks start together
constexpr double kTile = 13;        // between a tile and the next
constexpr double kElement = 5500.0 / (128 * 256);  // and its way to C
constexpr double kAdding = 8400;                   // the launch that adds up parts
constexpr double kBytesOfParts = 16;               // of them that are written or read in a cycle
constexpr double kBetweenSectors = 1.45;           // rows that start within a sector cost more of them
constexpr double kHalfLines = 1.2;                 // and so do half lines of B that many blocks wait for

/// Of an operand whose rows have `bytes`: of others TMA reads a copy, whose rows start with a line.
double cost_of_rows(std::int64_t bytes) {
  constexpr std::int64_t kSector = 32;
  return bytes % kSector == kSector / 2 ? kBetweenSectors : 1;
}

/// As it is seen by one multiprocessor.
double time_of(const WgmmaPlan& plan, int splits, const WgmmaAsked& asked) {
  const auto element = static_cast<std::int64_t>(bytes_of(asked.types.type));
  const std::int64_t bytes_of_k = asked.shape.k * element;
  const std::int64_t down = ceil_div(asked.shape.m, std::int64_t{plan.BM} * plan.cluster);
  const std::int64_t across = ceil_div(asked.shape.n, std::int64_t{plan.BN});
  const std::int64_t tiles = down * across;
  const std::int64_t at_once = clusters_at_once(plan, asked.multiprocessors);
  const std::int64_t late = splits > 1 ? tiles % at_once : 0;
  const auto steps = static_cast<double>(ceil_div(bytes_of_k, std::int64_t{kRowBytes}));

  const double products = static_cast<double>(plan.BM) * plan.BN * kRowBytes / kByteProducts;
  const double rows = static_cast<double>(std::min<std::int64_t>(plan.BM, asked.shape.m));
  const double of_a = rows * cost_of_rows(bytes_of_k);
  const double of_b = static_cast<double>(std::min<std::int64_t>(plan.BN, asked.shape.n)) / plan.cluster *
                      cost_of_rows(plan.columns_of_b ? asked.shape.n * element : bytes_of_k) *
                      (plan.row_bytes_of_b < kRowBytes && down > across ? kHalfLines : 1);
  const double bytes = (of_a + of_b) * kRowBytes;
  const double ring = (plan.BM + plan.BN) * static_cast<double>(kRowBytes) * plan.stages;
  const double step = std::max({products, bytes / kFromL2, bytes / ring * kLatency}) + kStep;
  const double tile = kTile + kElement * plan.BM * plan.BN;
  const auto of = [&](std::int64_t units, double steps_of_unit) {
    // blocks that share a multiprocessor share its rates
    const auto sharing = static_cast<double>(std::min<std::int64_t>(
        plan.blocks_at_once, ceil_div(units * plan.cluster, std::int64_t{asked.multiprocessors})));
    return static_cast<double>(ceil_div(units, at_once)) * (steps_of_unit * step * sharing + tile);
  };
  double compute = of(tiles - late, steps);
  double adding = 0;
  if (late > 0) {
    compute += of(late * splits, steps / splits);
    const double parts =
        2.0 * kBytesOfSum * static_cast<double>(late * splits * plan.cluster) * plan.BM * plan.BN;
    adding = kAdding + parts / (kBytesOfParts * asked.multiprocessors);
  }
  const double memory = static_cast<double>((asked.shape.m + asked.shape.n) * bytes_of_k) /
                        (kFromMemory * asked.multiprocessors);
  return std::max(compute, memory + tile) + adding + kFirst + (plan.cluster > 1 ? kCluster : 0);
}

}  // namespace

WgmmaChoice choose(const std::vector<WgmmaPlan>& plans, const WgmmaAsked& asked, const std::string& kernel,
                   int splits) {
  WgmmaChoice best;
  double least = std::numeric_limits<double>::infinity();
  const std::int64_t steps = ceil_div(asked.shape.k * static_cast<std::int64_t>(bytes_of(asked.types.type)),
                                      std::int64_t{kRowBytes});
  const auto told = static_cast<int>(std::min<std::int64_t>(splits, steps));  // no part is empty
  for (const WgmmaPlan& plan : plans) {
    if (!kernel.empty() && plan.name != kernel) continue;
    const int most =
        splits != 0 ? told : static_cast<int>(std::clamp<std::int64_t>(steps / kLeastSteps, 1, kMostParts));
    for (int split = splits != 0 ? told : 1; split <= most; ++split) {
      const double time = time_of(plan, split, asked);
      if (time < least) {
        least = time;
        best = {plan, split};
      }
    }
  }
  return best;
}

}  // namespace gemmlab::gpu::tensor_core
