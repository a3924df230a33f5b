#include "gpu/gemm/matrix_tuned/choose.h"

#include <algorithm>
#include <limits>

#include "core/rounding.h"
#include "gpu/gemm/wgmma/arguments.h"

namespace gemmlab::gpu::tensor_core {
namespace {

constexpr int kLeastSteps = 4;  // of a part
constexpr int kMostSplits = 8;  // a cluster that every card can have

// Of a multiprocessor, in cycles: close to what was measured on an H200 (docs/notebook/gpu_tensor_core.md).
constexpr double kByteProducts = 2048 * 2;  // bytes of A times columns of B, a cycle: all that wgmma does
constexpr double kFromL2 = 52;              // bytes a cycle
constexpr double kLatency = 1500;   // of what is asked for: a ring's bytes come in so many cycles at best
constexpr double kFromMemory = 17;  // bytes a cycle, of what no tile has read before
constexpr double kFirst = 4200;     // launch, the first stage's way, and the last sums'
constexpr double kTile = 700;       // between a tile and the next
constexpr double kPart = 2500;      // until a cluster has added up its parts
constexpr double kPartOfRow = 10;   // and each row of them

double time_of(const WgmmaPlan& plan, int splits, const WgmmaAsked& asked) {
  const std::int64_t bytes_of_k = asked.shape.k * static_cast<std::int64_t>(bytes_of(asked.types.type));
  const std::int64_t down = ceil_div(asked.shape.m, std::int64_t{plan.BM} * plan.cluster);
  const std::int64_t across = ceil_div(asked.shape.n, std::int64_t{plan.BN});
  const auto steps = static_cast<double>(ceil_div(ceil_div(bytes_of_k, kRowBytes), splits));
  const std::int64_t blocks = down * across * splits * plan.cluster;
  const std::int64_t at_once = std::int64_t{asked.multiprocessors} * plan.blocks_at_once;
  const auto rounds = static_cast<double>(ceil_div(blocks, at_once));
  // blocks that share a multiprocessor share its rates
  const std::int64_t sharing =
      std::min<std::int64_t>(plan.blocks_at_once, ceil_div(blocks, std::int64_t{asked.multiprocessors}));
  const double products = static_cast<double>(plan.BM) * plan.BN * kRowBytes / kByteProducts;
  const double bytes = (plan.BM + static_cast<double>(plan.BN) / plan.cluster) * kRowBytes;
  const double ring = (plan.BM + plan.BN) * static_cast<double>(kRowBytes) * plan.stages;
  const double step =
      std::max({products, bytes / kFromL2, bytes / ring * kLatency}) * static_cast<double>(sharing);
  const double tile = splits > 1 ? kTile + kPart + kPartOfRow * plan.BM : kTile;
  const double compute = rounds * (steps * step + tile);
  const double memory = static_cast<double>((asked.shape.m + asked.shape.n) * bytes_of_k) /
                        (kFromMemory * asked.multiprocessors);
  return std::max(compute, memory + tile) + kFirst;
}

}  // namespace

WgmmaChoice choose(const std::vector<WgmmaPlan>& plans, const WgmmaAsked& asked, const std::string& kernel,
                   int splits) {
  WgmmaChoice best;
  double least = std::numeric_limits<double>::infinity();
  const std::int64_t steps = ceil_div(asked.shape.k * static_cast<std::int64_t>(bytes_of(asked.types.type)),
                                      std::int64_t{kRowBytes});
  for (const WgmmaPlan& plan : plans) {
    if (!kernel.empty() && plan.name != kernel) continue;
    if (splits > 1 && !plan.may_split) continue;
    const std::int64_t least_steps = splits == 0 ? kLeastSteps : 1;
    const int most = plan.may_split && splits != 1 ? kMostSplits : 1;
    int told = 1;  // as many parts as are asked for, or there are steps
    while (told < splits && 2 * told <= steps) told *= 2;
    for (int split = splits == 0 ? 1 : told; split <= (splits == 0 ? most : told); split *= 2) {
      if (split > 1 && steps < split * least_steps) break;
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
