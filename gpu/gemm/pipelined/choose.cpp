#include "gpu/gemm/pipelined/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/rounding.h"
#include "gpu/gemm/pipelined/pad_rows.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // blocks of a grid; shared steps
constexpr int kWarp = 32;
constexpr int kFloatsIn16Bytes = 4;
constexpr int kFullWarps = 8;  // an SM's schedulers are busy from here on

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

const Architecture& architecture_of(const PipelinedCard& card) {
  for (const Architecture& architecture : kArchitectures) {
    if (card.compute_capability >= architecture.from_compute_capability) return architecture;
  }
  return kArchitectures.back();
}

Share share_of(const Architecture& architecture, const std::string& tile) {
  for (const Share& share : architecture.shares) {
    if (tile == share.tile) return share;
  }
  return {"", 0.3};
}

/// How B comes into shared memory.
enum class Rows {
  kOneByOne,  ///< by 4 bytes
  kAligned,   ///< by 16
  kPadded     ///< by 16, from a copy
};

/// The estimate for one candidate on one card.
class Estimate {
 public:
  Estimate(const PipelinedCandidate& candidate, const PipelinedCard& card, const Shape& shape, Rows rows)
      : candidate_(candidate),
        card_(card),
        architecture_(architecture_of(card)),
        per_sm_(blocks_per_sm(candidate, card)) {
    const Share share = share_of(architecture_, candidate.name);
    share_ = rows == Rows::kOneByOne ? share.one_by_one : share.of_fma_rate;
    ends_ = share.ends;
    least_ = static_cast<double>(shape.least_bytes()) / (architecture_.dram_bytes * card.sms);
    if (rows == Rows::kPadded) {
      const double bytes = 2.0 * sizeof(float) * static_cast<double>(shape.b_count());
      before_ = kPadding + bytes / (architecture_.l2_bytes * card.sms);
    }
  }

  int slots() const { return per_sm_ * card_.sms; }

  /// Reading A and B and writing C once takes its time in any case.
  double cycles(const Schedule& schedule) const {
    double cycles = blocks_cycles(schedule.whole, schedule.steps);
    if (schedule.split_blocks > 0) {
      const double steps = std::ceil(static_cast<double>(schedule.shared_steps()) / schedule.split_blocks);
      const double bytes = 2.0 * schedule.split_blocks * candidate_.BM * candidate_.BN * sizeof(float);
      cycles += blocks_cycles(schedule.split_blocks, steps);
      cycles += kAdding + bytes / (architecture_.l2_bytes * card_.sms);
    }
    return before_ + std::max(cycles, least_);
  }

 private:
  static constexpr double kAdding = 6900;   // a second kernel's launch, and a round trip to the L2
  static constexpr double kPadding = 3400;  // the same, before the first, which need not wait for its stores

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

  double wave_cycles(double blocks, double steps) const {
    const double bytes = blocks * sizeof(float) * candidate_.BM * candidate_.BN;
    return steps * step_cycles(blocks) + ends_ + bytes / architecture_.l2_bytes;
  }

  double blocks_cycles(double blocks, double steps) const {
    const double waves = std::floor(blocks / slots());
    const double rest = blocks - waves * slots();
    return waves * wave_cycles(per_sm_, steps) +
           (rest > 0 ? wave_cycles(std::ceil(rest / card_.sms), steps) : 0);
  }

  const PipelinedCandidate& candidate_;
  const PipelinedCard& card_;
  const Architecture& architecture_;
  int per_sm_;
  double share_ = 0;
  double ends_ = 0;
  double least_ = 0;
  double before_ = 0;
};

Schedule unshared(const PipelinedCandidate& candidate, const Shape& shape, int slots) {
  Schedule schedule;
  schedule.tiles_down = static_cast<int>(ceil_div(shape.m, candidate.BM));
  schedule.tiles_across = static_cast<int>(ceil_div(shape.n, candidate.BN));
  schedule.steps = static_cast<int>(ceil_div(shape.k, candidate.BK));
  schedule.whole = static_cast<int>(schedule.tiles());
  // the tiles that are worked on together should be about as high as wide: they read the least of A
  // and B then
  const double rows = std::round(std::sqrt(static_cast<double>(slots) * candidate.BN / candidate.BM));
  const std::int64_t most = std::min<std::int64_t>(schedule.tiles_down, kMost / schedule.tiles_across);
  schedule.group = static_cast<int>(std::clamp<std::int64_t>(static_cast<std::int64_t>(rows), 1, most));
  return schedule;
}

/// The best way to share out the tiles that do not fill the card; the schedule itself where none is better.
PipelinedChoice best_schedule(const PipelinedCandidate& candidate, const Shape& shape,
                              const PipelinedCard& card, Rows rows) {
  const Estimate estimate(candidate, card, shape, rows);
  const int slots = estimate.slots();
  const Schedule alone = unshared(candidate, shape, slots);
  PipelinedChoice best{&candidate, alone, rows == Rows::kPadded, estimate.cycles(alone)};
  const std::int64_t left = alone.tiles() % slots;
  const std::int64_t steps = left * alone.steps;
  if (left == 0 || steps > kMost) return best;
  const auto consider = [&](std::int64_t split_blocks) {
    constexpr int kLeastSteps = 2;  // a block of one step would only wait
    if (split_blocks <= left || split_blocks > slots || steps / split_blocks < kLeastSteps) return;
    Schedule schedule = alone;
    schedule.whole = static_cast<int>(alone.tiles() - left);
    schedule.split_blocks = static_cast<int>(split_blocks);
    const double cycles = estimate.cycles(schedule);
    if (cycles < best.cycles) best = {&candidate, schedule, rows == Rows::kPadded, cycles};
  };
  for (std::int64_t blocks = card.sms; blocks <= slots; blocks += card.sms) consider(blocks);
  for (std::int64_t split = 2; split * left <= slots; ++split) consider(split * left);
  return best;
}

/// What B's rows allow, the first being possible always.
std::vector<Rows> rows_of(const Shape& shape, const PipelinedCard& card, LayoutOfB layout) {
  constexpr std::int64_t kMostFloats = std::int64_t{1} << 33;  // see launch_pad_rows
  constexpr std::int64_t kMostOfMemory = 8;                    // the copy is to be an eighth at most
  if (layout == LayoutOfB::kAligned) return {Rows::kAligned};
  if (layout == LayoutOfB::kTransposed) return {Rows::kPadded};
  const std::int64_t floats = shape.k * padded_row(shape.n);
  const std::int64_t most =
      std::min<std::int64_t>(kMostFloats, card.memory_bytes / (kMostOfMemory * sizeof(float)));
  if (floats >= most) return {Rows::kOneByOne};
  return {Rows::kOneByOne, Rows::kPadded};
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

LayoutOfB layout_of_b(const Shape& shape, const GemmForm& form) {
  if (form.transpose_b) return LayoutOfB::kTransposed;
  const bool aligned = shape.n % kFloatsIn16Bytes == 0 && form.ldb % kFloatsIn16Bytes == 0;
  return aligned ? LayoutOfB::kAligned : LayoutOfB::kAnywhere;
}

PipelinedChoice choose_pipelined(const Shape& shape, const std::string& tile, const PipelinedCard& card) {
  return choose_pipelined(shape, tile, card, layout_of_b(shape, form_of(shape)));
}

PipelinedChoice choose_pipelined(const Shape& shape, const std::string& tile, const PipelinedCard& card,
                                 LayoutOfB layout) {
  PipelinedChoice best;
  for (const PipelinedCandidate& candidate : pipelined_candidates()) {
    if (tile != "auto" && tile != candidate.name) continue;
    if (pipelined_tiles(candidate, shape) > kMost || blocks_per_sm(candidate, card) == 0) continue;
    for (Rows rows : rows_of(shape, card, layout)) {
      const PipelinedChoice choice = best_schedule(candidate, shape, card, rows);
      if (!best.candidate || choice.cycles < best.cycles) best = choice;
    }
  }
  return best;
}

std::int64_t padded_floats(const PipelinedChoice& choice, const Shape& shape) {
  return choice.pads_b ? shape.k * padded_row(shape.n) : 0;
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
