#include "gpu/gemm/pipelined/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/rounding.h"
#include "gpu/gemm/pipelined/architecture.h"
#include "gpu/gemm/pipelined/pad_rows.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // blocks of a grid; shared steps
constexpr int kWarp = 32;
constexpr int kFloatsIn16Bytes = 4;
constexpr int kReserved = 1024;  // bytes of shared memory, by the system, a block
constexpr int kFullWarps = 8;  // an SM's schedulers are busy from here on

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
        architecture_(architecture_of(card.compute_capability)),
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
      if (schedule.split_blocks % schedule.shared_tiles() != 0 && steps < kFew) cycles += ends_;
      cycles += kAdding + bytes / (architecture_.l2_bytes * card_.sms);
    }
    return before_ + std::max(cycles, least_);
  }

 private:
  static constexpr double kMeeting = 3000;  // of a cluster: two barriers, and what the blocks read of each other
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

/// Blocks that share each tile as a cluster, where that is better than what `best` has.
void consider_clusters(PipelinedChoice& best, const Schedule& alone, const Estimate& estimate,
                       const PipelinedCard& card) {
  // Larger ones cost more than their fewer steps spare; and 64 clusters of 4, for which an H200 has room by count, took
  // two rounds there.
  constexpr int kMostBlocks = 5;
  if (!card.clusters || !best.candidate->clustered) return;
  for (int cluster = 2; cluster <= std::min(kMostBlocks, alone.steps); ++cluster) {
    if (std::int64_t{alone.tiles()} * cluster > card.sms) break;
    const double cycles = estimate.clustered_cycles(alone, cluster);
    if (cycles >= best.cycles) continue;
    best.schedule = alone;
    best.cycles = cycles;
    best.cluster = cluster;
  }
}

/// The best way to share out the tiles that do not fill the card; the schedule itself where none is better.
PipelinedChoice best_schedule(const PipelinedCandidate& candidate, const Shape& shape,
                              const PipelinedCard& card, Rows rows) {
  const Estimate estimate(candidate, card, shape, rows);
  const int slots = estimate.slots();
  const Schedule alone = unshared(candidate, shape, slots);
  PipelinedChoice best{&candidate, alone, rows == Rows::kPadded, estimate.cycles(alone)};
  consider_clusters(best, alone, estimate, card);
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

/// With the rows and columns behind the last whole tile left to the kernels for thin products, where they are few; no
/// candidate where there are none, or nothing else.
PipelinedChoice without_edges(const PipelinedCandidate& candidate, const Shape& shape, const PipelinedCard& card,
                              Rows rows) {
  constexpr std::int64_t kMostOfEdge = 8;      // what those kernels take
  constexpr double kLaunch = 6000;             // in cycles: their start and end
  constexpr double kOneByOne = 1.5;            // times as long where what they read comes by 4 bytes
  const auto edge_of = [&](std::int64_t length, int tile) {
    return length > tile && length % tile <= kMostOfEdge ? length % tile : 0;
  };
  const std::int64_t edge_rows = edge_of(shape.m, candidate.BM);
  const std::int64_t edge_cols = edge_of(shape.n, candidate.BN);
  if (edge_rows == 0 && edge_cols == 0) return {};
  const Shape core{shape.m - edge_rows, shape.n - edge_cols, shape.k};
  PipelinedChoice choice = best_schedule(candidate, core, card, rows);
  const double rate = architecture_of(card.compute_capability).dram_bytes * card.sms / sizeof(float);
  if (edge_rows > 0)
    choice.cycles += kLaunch + static_cast<double>(shape.b_count()) / rate * (rows == Rows::kOneByOne ? kOneByOne : 1);
  if (edge_cols > 0)
    choice.cycles += kLaunch + static_cast<double>(shape.a_count()) / rate * (shape.k % kFloatsIn16Bytes == 0 ? 1 : kOneByOne);
  choice.edge_rows = static_cast<int>(edge_rows);
  choice.edge_cols = static_cast<int>(edge_cols);
  return choice;
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
      PipelinedChoice choice = best_schedule(candidate, shape, card, rows);
      if (!best.candidate || choice.cycles < best.cycles) best = choice;
      choice = without_edges(candidate, shape, card, rows);
      if (choice.candidate && choice.cycles < best.cycles) best = choice;
    }
  }
  return best;
}

double thin_cycles(const Shape& shape, const PipelinedCard& card) {
  constexpr double kEnds = 6000;        // launch, first loads, and what is left behind the last
  constexpr double kOfMemory = 0.85;    // of its rate
  constexpr double kOfAnSm = 28;        // bytes per cycle that one has in flight
  constexpr double kLeastTerms = 256;   // of K that are worth a block, of kResults results
  constexpr double kResults = 32;
  const double length = static_cast<double>(std::max(shape.m, shape.n));
  const double blocks = std::ceil(length / kResults) * std::max(1.0, static_cast<double>(shape.k) / kLeastTerms);
  const double of_memory = kOfMemory * architecture_of(card.compute_capability).dram_bytes * card.sms;
  return kEnds + shape.least_bytes() / std::min(of_memory, kOfAnSm * std::min<double>(blocks, card.sms));
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
