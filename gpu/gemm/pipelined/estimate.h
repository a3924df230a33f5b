#pragma once

// The time of one tile's kernel at a shape on a card, in clock cycles, as the choice among tiles needs it.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpu/gemm/pipelined/architecture.h"
#include "gpu/gemm/pipelined/choose.h"

namespace gemmlab::gpu {

/// How B comes into shared memory.
enum class Rows {
  kOneByOne,  ///< by 4 bytes
  kAligned,   ///< by 16
  kPadded     ///< by 16, from a copy
};

/// The estimate for one candidate on one card.
class Estimate {
 public:
  /// `copied`: floats of B that are copied first. `least_bytes`: that have to move from and to memory.
  Estimate(const PipelinedCandidate& candidate, const PipelinedCard& card, double least_bytes,
           std::int64_t copied, Rows rows)
      : candidate_(candidate),
        card_(card),
        architecture_(architecture_of(card.compute_capability)),
        per_sm_(blocks_per_sm(candidate, card)) {
    const Share share = share_of(architecture_, candidate.name);
    share_ = rows == Rows::kOneByOne ? share.one_by_one : share.of_fma_rate;
    ends_ = share.ends;
    least_ = least_bytes / (architecture_.dram_bytes * card.sms);
    if (rows == Rows::kPadded) {
      const double bytes = 2.0 * sizeof(float) * static_cast<double>(copied);
      before_ = kPadding + bytes / (architecture_.l2_bytes * card.sms);
    }
  }

  int slots() const { return per_sm_ * card_.sms; }

  /// Each tile shared out among the `cluster` blocks of a cluster, all at once. The blocks of a cluster are put onto
  /// as few SMs as hold them: of 32 clusters of 4, which could have had an SM each, a product took 35 us on an H200,
  /// with 7 blocks 24.
  double clustered_cycles(const Schedule& schedule, int cluster) const {
    const double steps = std::ceil(static_cast<double>(schedule.steps) / cluster);
    return before_ + std::max(wave_cycles(per_sm_, steps) + kMeeting, least_);
  }

  /// Reading A and B and writing C once takes its time in any case.
  double cycles(const Schedule& schedule) const {
    double cycles = blocks_cycles(schedule.whole, schedule.steps);
    if (schedule.split_blocks > 0) {
      const double steps = std::ceil(static_cast<double>(schedule.shared_steps()) / schedule.split_blocks);
      const double bytes = 2.0 * schedule.split_blocks * candidate_.BM * candidate_.BN * sizeof(float);
      cycles += blocks_cycles(schedule.split_blocks, steps);
      // a block that ends one tile and begins the next starts anew, which shows where it has few steps
      constexpr double kFew = 8;
      const bool even = schedule.shared_steps() % schedule.split_blocks == 0 &&
                        schedule.split_blocks % schedule.shared_tiles() == 0;
      if (!even && steps < kFew) cycles += ends_;
      cycles += kAdding + bytes / (architecture_.l2_bytes * card_.sms);
    }
    return before_ + std::max(cycles, least_);
  }

 private:
  static constexpr int kWarp = 32;
  static constexpr int kFullWarps = 8;      // an SM's schedulers are busy from here on
  static constexpr double kMeeting = 500;   // of a cluster, beside what its blocks lose by sharing SMs
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

}  // namespace gemmlab::gpu
