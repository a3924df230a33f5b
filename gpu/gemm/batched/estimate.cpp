#include "gpu/gemm/batched/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/rounding.h"
#include "gpu/gemm/pipelined/architecture.h"
#include "gpu/gemm/pipelined/estimate.h"

namespace gemmlab::gpu {
namespace {

/// What a tile takes as a batch's, in cycles.
struct BatchedShare {
  const char* tile;
  double of_work;  ///< times as long as its FMAs alone, where an SM is full
  double step;     ///< that a step of K takes at least
  double ends;     ///< the launch, the first loads and the last stores
};

/// Fitted to the times of these seven at 40 batches on an H200, the last two to what the others left: what is chosen takes
/// 1.005 times the best of them in geometric mean, 1.05 at the worst; 1.015 and 1.20 where each batch is left out of the
/// fit of the two that chooses for it.
constexpr int kFittedFrom = 90;
constexpr BatchedShare kShares[] = {
    {"128x128", 1.06, 3815, 5130}, {"128x64x16", 1.19, 1310, 4360}, {"64x64x16", 1.21, 1080, 5360},
    {"32x32x16", 2.29, 544, 3740}, {"32x32", 1.57, 774, 4870},      {"64x64x16w4", 1.43, 655, 4010},
    {"32x32x32", 1.83, 705, 4150},
};
/// Times as long as with rows of B by 16 bytes, for each BatchLayout.
constexpr double kOfLayout[kBatchLayouts] = {1, 1.77, 1.06, 0.89};

double least_bytes(const GemmBatch& batch) {
  const auto times = [&](std::int64_t stride) {
    return stride == 0 ? 1.0 : static_cast<double>(batch.count);
  };
  return sizeof(float) * (times(batch.stride_a) * static_cast<double>(batch.shape.a_count()) +
                          times(batch.stride_b) * static_cast<double>(batch.shape.b_count()) +
                          times(batch.stride_c) * static_cast<double>(batch.shape.c_count()));
}

/// By the shares of gpu.pipelined, where none were fitted.
double pipelined_cycles(const PipelinedCandidate& tile, BatchLayout layout, const GemmBatch& batch,
                        const PipelinedCard& card, Schedule schedule) {
  const Rows rows = layout == BatchLayout::kRowsBy4 ? Rows::kOneByOne : Rows::kAligned;
  return Estimate(tile, card, least_bytes(batch), 0, rows).cycles(schedule);
}

}  // namespace

double batched_cycles(const PipelinedCandidate& tile, BatchLayout layout, const GemmBatch& batch,
                      const PipelinedCard& card) {
  const std::int64_t blocks = pipelined_tiles(tile, batch.shape) * batch.count;
  Schedule schedule;
  schedule.steps = static_cast<int>(ceil_div(batch.shape.k, tile.BK));
  schedule.whole = static_cast<int>(blocks);
  const auto* const share = std::find_if(std::begin(kShares), std::end(kShares),
                                         [&](const BatchedShare& one) { return tile.name == one.tile; });
  if (card.compute_capability < kFittedFrom || share == std::end(kShares))
    return pipelined_cycles(tile, layout, batch, card, schedule);

  const Architecture& architecture = architecture_of(card.compute_capability);
  const double work = share->of_work * tile.BM * tile.BN * tile.BK / architecture.fma;
  const double stored = sizeof(float) * tile.BM * tile.BN / architecture.l2_bytes;
  const double slower = kOfLayout[static_cast<int>(layout)];
  const auto wave = [&](double on_an_sm) {
    return share->ends + schedule.steps * slower * std::max(on_an_sm * work, share->step) + on_an_sm * stored;
  };
  const std::int64_t per_sm = blocks_per_sm(tile, card);
  const std::int64_t slots = per_sm * card.sms;
  double cycles = static_cast<double>(blocks / slots) * wave(static_cast<double>(per_sm));
  if (const std::int64_t rest = blocks % slots; rest > 0)
    cycles += wave(std::ceil(static_cast<double>(rest) / card.sms));
  return std::max(cycles, least_bytes(batch) / (architecture.dram_bytes * card.sms));
}

}  // namespace gemmlab::gpu
