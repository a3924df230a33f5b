#include "gpu/gemm/pipelined/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/rounding.h"
#include "gpu/gemm/pipelined/architecture.h"
#include "gpu/gemm/pipelined/estimate.h"
#include "gpu/gemm/pipelined/pad_rows.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // blocks of a grid; shared steps
constexpr int kFloatsIn16Bytes = 4;

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
  const Estimate estimate(candidate, card, shape.least_bytes(), shape.b_count(), rows);
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
PipelinedChoice without_edges(const PipelinedCandidate& candidate, const Shape& shape,
                              const PipelinedCard& card, Rows rows) {
  constexpr std::int64_t kMostOfEdge = 8;  // what those kernels take
  constexpr double kLaunch = 6000;         // in cycles: their start and end
  constexpr double kOneByOne = 1.5;        // times as long where what they read comes by 4 bytes
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
    choice.cycles +=
        kLaunch + static_cast<double>(shape.b_count()) / rate * (rows == Rows::kOneByOne ? kOneByOne : 1);
  if (edge_cols > 0)
    choice.cycles += kLaunch + static_cast<double>(shape.a_count()) / rate *
                                   (shape.k % kFloatsIn16Bytes == 0 ? 1 : kOneByOne);
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
  return std::min(card.shared_bytes_per_sm / (candidate.shared_bytes + kReservedBytes),
                  candidate.blocks_per_sm);
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
  constexpr double kEnds = 6000;       // launch, first loads, and what is left behind the last
  constexpr double kOfMemory = 0.85;   // of its rate
  constexpr double kOfAnSm = 28;       // bytes per cycle that one has in flight
  constexpr double kLeastTerms = 256;  // of K that are worth a block, of kResults results
  constexpr double kResults = 32;
  const double length = static_cast<double>(std::max(shape.m, shape.n));
  const double blocks =
      std::ceil(length / kResults) * std::max(1.0, static_cast<double>(shape.k) / kLeastTerms);
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
