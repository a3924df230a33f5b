#include "gpu/pipelined/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // blocks of a grid; shared steps
constexpr int kWarp = 32;
constexpr int kFullWarps = 8;  // an SM's schedulers are busy from here on

/// A candidate and the share of the FMA rate that it reaches where the SMs are full of it.
struct Share {
  const char* tile;
  double of_fma_rate;
  double at_odd_rows = 0.85 * of_fma_rate;  ///< where rows do not start at multiples of 16 bytes
};

/// What is known of a compute capability. Rates are per SM and clock cycle.
struct Architecture {
  int from_compute_capability;
  double fma;         ///< FP32 multiply-adds
  double l2_bytes;    ///< from the L2
  double dram_bytes;  ///< from memory
  std::vector<Share> shares;
};

/// From 9.0 an FFMA fills the issue slot, so a tile's share falls with its other instructions; 8.0 issues
/// twice as fast as it multiplies. Before 8.0 copies are waited for, which more and smaller blocks hide.
const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> table = {
      {90,
       128,
       20,
       18,
       // measured on an H200: aligned at 8192³; at odd rows 256x128, 128x128 and their like at 4097³
       {{"256x128", 0.834, 0.74},
        {"256x128x8", 0.817, 0.76},
        {"128x128", 0.830, 0.60},
        {"128x128x8", 0.809, 0.62},
        {"128x64", 0.791, 0.63},
        {"64x64", 0.771, 0.63},
        {"32x32", 0.52, 0.45},
        {"16x128", 0.607, 0.43},
        {"128x16", 0.394, 0.33}}},
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
        {"32x32", 0.45},
        {"16x128", 0.45},
        {"128x16", 0.45}}},
  };
  return table;
}

const Architecture& architecture_of(const PipelinedCard& card) {
  for (const Architecture& architecture : architectures()) {
    if (card.compute_capability >= architecture.from_compute_capability) return architecture;
  }
  return architectures().back();
}

double share_of(const Architecture& architecture, const std::string& tile, bool aligned) {
  for (const Share& share : architecture.shares) {
    if (tile == share.tile) return aligned ? share.of_fma_rate : share.at_odd_rows;
  }
  return 0.3;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The estimate for one candidate on one card.
class Estimate {
 public:
  Estimate(const PipelinedCandidate& candidate, const PipelinedCard& card, bool aligned)
      : candidate_(candidate),
        card_(card),
        architecture_(architecture_of(card)),
        share_(share_of(architecture_, candidate.name, aligned)),
        per_sm_(blocks_per_sm(candidate, card)) {}

  int slots() const { return per_sm_ * card_.sms; }

  double cycles(const Schedule& schedule) const {
    double cycles = blocks_cycles(schedule.whole, schedule.steps);
    if (schedule.split_blocks > 0) {
      const double steps = std::ceil(static_cast<double>(schedule.shared_steps()) / schedule.split_blocks);
      const double bytes = 2.0 * schedule.split_blocks * candidate_.BM * candidate_.BN * sizeof(float);
      cycles += blocks_cycles(schedule.split_blocks, steps);
      cycles += kSecondKernel + bytes / (architecture_.l2_bytes * card_.sms);
    }
    return cycles;
  }

  /// What reading A and B and writing C once takes at least.
  double memory_cycles(const Shape& shape) const {
    return static_cast<double>(shape.least_bytes()) / (architecture_.dram_bytes * card_.sms);
  }

 private:
  static constexpr double kBlock = 2000;         // the first tiles' way
  static constexpr double kSecondKernel = 3500;  // its launch, and the way to the L2 and back

  /// One step of each of `blocks` blocks on an SM.
  double step_cycles(double blocks) const {
    const double warps = blocks * candidate_.threads / kWarp;
    const double filled = std::min(1.0, warps / kFullWarps);
    const double busy =
        filled * (1.5 - 0.5 * filled);  // one warp a scheduler is more than half as good as two
    const double work = blocks * candidate_.BM * candidate_.BN * candidate_.BK;
    const double bytes = blocks * (candidate_.BM + candidate_.BN) * candidate_.BK * sizeof(float);
    return std::max(work / (architecture_.fma * share_ * busy), bytes / architecture_.l2_bytes);
  }

  /// The first tiles' way and the writing of C, half of which the other blocks of an SM hide.
  double ends_cycles() const {
    const double bytes = per_sm_ * sizeof(float) * candidate_.BM * candidate_.BN;
    return kBlock + bytes / architecture_.l2_bytes * (per_sm_ > 1 ? 0.5 : 1);
  }

  double blocks_cycles(double blocks, double steps) const {
    const double waves = std::floor(blocks / slots());
    const double rest = blocks - waves * slots();
    double cycles = waves * (steps * step_cycles(per_sm_) + ends_cycles());
    if (rest > 0) cycles += steps * step_cycles(std::ceil(rest / card_.sms)) + ends_cycles();
    return cycles;
  }

  const PipelinedCandidate& candidate_;
  const PipelinedCard& card_;
  const Architecture& architecture_;
  double share_;
  int per_sm_;
};

Schedule unshared(const PipelinedCandidate& candidate, const Shape& shape, int slots) {
  Schedule schedule;
  schedule.tiles_down = static_cast<int>(ceil_div(shape.m, candidate.BM));
  schedule.tiles_across = static_cast<int>(ceil_div(shape.n, candidate.BN));
  schedule.steps = static_cast<int>(ceil_div(shape.k, candidate.BK));
  schedule.whole = static_cast<int>(schedule.tiles());
  // the tiles that are worked on together should be about as high as wide: they read the least of A and B
  // then
  const double rows = std::round(std::sqrt(static_cast<double>(slots) * candidate.BN / candidate.BM));
  const std::int64_t most = std::min<std::int64_t>(schedule.tiles_down, kMost / schedule.tiles_across);
  schedule.group = static_cast<int>(std::clamp<std::int64_t>(static_cast<std::int64_t>(rows), 1, most));
  return schedule;
}

/// The best way to share out the tiles that do not fill the card; the schedule itself where none is better.
PipelinedChoice best_schedule(const PipelinedCandidate& candidate, const Shape& shape,
                              const PipelinedCard& card) {
  const Estimate estimate(candidate, card, shape.rows_at_16_bytes());
  const int slots = estimate.slots();
  const Schedule alone = unshared(candidate, shape, slots);
  const double least_cycles = estimate.memory_cycles(shape);
  PipelinedChoice best{&candidate, alone, std::max(estimate.cycles(alone), least_cycles)};
  const std::int64_t left = alone.tiles() % slots;
  const std::int64_t steps = left * alone.steps;
  if (left == 0 || steps > kMost) return best;
  const auto consider = [&](std::int64_t split_blocks) {
    constexpr int kLeastSteps = 2;  // a block of one step would only wait
    if (split_blocks <= left || split_blocks > slots || steps / split_blocks < kLeastSteps) return;
    Schedule schedule = alone;
    schedule.whole = static_cast<int>(alone.tiles() - left);
    schedule.split_blocks = static_cast<int>(split_blocks);
    const double cycles = std::max(estimate.cycles(schedule), least_cycles);
    if (cycles < best.cycles) best = {&candidate, schedule, cycles};
  };
  for (std::int64_t blocks = card.sms; blocks <= slots; blocks += card.sms) consider(blocks);
  for (std::int64_t split = 2; split * left <= slots; ++split) consider(split * left);
  return best;
}

}  // namespace

int blocks_per_sm(const PipelinedCandidate& candidate, const PipelinedCard& card) {
  constexpr int kReserved = 1024;  // of shared memory, by the system, a block
  if (candidate.shared_bytes > card.shared_bytes_per_block) return 0;
  return std::min(card.shared_bytes_per_sm / (candidate.shared_bytes + kReserved), candidate.blocks_per_sm);
}

std::int64_t pipelined_tiles(const PipelinedCandidate& candidate, const Shape& shape) {
  return ceil_div(shape.m, candidate.BM) * ceil_div(shape.n, candidate.BN);
}

PipelinedChoice choose_pipelined(const Shape& shape, const std::string& tile, const PipelinedCard& card) {
  PipelinedChoice best;
  for (const PipelinedCandidate& candidate : pipelined_candidates()) {
    if (tile != "auto" && tile != candidate.name) continue;
    if (pipelined_tiles(candidate, shape) > kMost || blocks_per_sm(candidate, card) == 0) continue;
    const PipelinedChoice choice = best_schedule(candidate, shape, card);
    if (!best.candidate || choice.cycles < best.cycles) best = choice;
  }
  return best;
}

int split_k(const Schedule& schedule) {
  unsigned most = 1;
  for (unsigned tile = 0; schedule.split_blocks > 0 && tile < schedule.shared_tiles(); ++tile) {
    const unsigned first = schedule.block_of(tile * schedule.steps);
    most = std::max(most, schedule.block_of((tile + 1) * schedule.steps - 1) - first + 1);
  }
  return static_cast<int>(most);
}

}  // namespace gemmlab::gpu
