#pragma once

// The one kernel behind gpu.pipelined, for every tile. For .cu files.
//
// On a card whose FP32 units take one instruction per cycle and sub-partition, an instruction that is not
// an FFMA costs the time of one, and so does an FFMA whose operands lie in one bank of registers. So a
// thread computes TM×TN = 16×8 elements where the shape allows, and walks them in pairs of columns: of a
// pair's operands, those of B stay with the multipliers from row to row. Both tiles come by cp.async; A's
// is transposed by copies of four bytes, so that a thread's rows of a step of k are adjacent in
// registers, as its columns are. Fragments are read one step of k ahead of their use, also across the
// barrier between two stages.

#include "gpu/gemm/pipelined/copy.h"
#include "gpu/gemm/pipelined/store.h"

namespace gemmlab::gpu {

/// sums = the product of `steps` steps of K, this slice's share of it. `Source`: see TileSource.
template <typename Tile, typename Source>
__device__ void multiply_steps(Sums<Tile>& sums, Source& source, const ThreadPlace<Tile>& place, int steps) {
  float* const stages = dynamic_shared();
  const float* As = stages + place.slice * Tile::kDepth * Tile::kRowOfAs + place.row;
  const float* Bs = stages + Tile::kStageOfA + place.slice * Tile::kDepth * Tile::kRowOfBs + place.col;

  // the thread's rows of A and columns of B, this step of k and the next
  alignas(16) float a[2][Tile::TM];
  alignas(16) float b[2][Tile::TN];
  const auto load = [&](int to, int offset, int k) {
    load_fragment<Tile::TM, Tile::kLanesDown * kVector>(a[to], As + offset + k * Tile::kRowOfAs);
    load_fragment<Tile::TN, Tile::kLanesAcross * kVector>(b[to], Bs + offset + k * Tile::kRowOfBs);
  };

  // a group of copies for each step; behind the last they go on, of what is there or of zeros
#pragma unroll
  for (int stage = 0; stage < Tile::kStages - 1; ++stage) {
#pragma unroll
    for (int n = 0; n < source.kCopies; ++n) source.copy(n, stages + stage * Tile::kStage);
    source.advance();
    commit_copies();
  }
  wait_for_copies<Tile::kStages - 2>();
  __syncthreads();
  load(0, 0, 0);

  constexpr int kPairs = Tile::TN / 2;
  constexpr int kTurns = Tile::kDepth < 8 ? 1 : Tile::kDepth / 4;  // of copying in a step
  constexpr int kCopiesAtOnce = (source.kCopies + kTurns - 1) / kTurns;
  constexpr int kLastStage = (Tile::kStages - 1) * Tile::kStage;
  int offset = 0;           // of the stage that is read
  int filled = kLastStage;  // of the one before it, which is free
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < Tile::kDepth; ++k) {
      const bool last = k == Tile::kDepth - 1;
      if (last) {
        source.advance();
        commit_copies();
        wait_for_copies<Tile::kStages - 2>();
        // the next stage is there for all, and all have read this one: what is left of it is in registers
        __syncthreads();
        filled = offset;
        offset = offset == kLastStage ? 0 : offset + Tile::kStage;
      } else if (k % (Tile::kDepth / kTurns) == 0) {
        const int first = k / (Tile::kDepth / kTurns) * kCopiesAtOnce;
#pragma unroll
        for (int n = first; n < first + kCopiesAtOnce && n < source.kCopies; ++n)
          source.copy(n, stages + filled);
      }
      // behind the last step the next stage holds nothing of use, and what is read of it is not used
      load((k + 1) % 2, offset, last ? 0 : k + 1);
#pragma unroll
      for (int pair = 0; pair < kPairs; ++pair) {
#pragma unroll
        for (int n = 0; n < Tile::TM; ++n) {
          const int i = pair % 2 == 0 ? n : Tile::TM - 1 - n;  // down and up: the last row is the next first
          const int j = 2 * pair;
          sums.of[j][i] += a[k % 2][i] * b[k % 2][j];
          sums.of[j + 1][i] += a[k % 2][i] * b[k % 2][j + 1];
        }
      }
    }
  }
  wait_for_copies<0>();
  __syncthreads();
}

/// C = alpha·A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read; tiles that
/// several blocks share are left to add_partials. kAligned: every row of B starts at a multiple of 16 bytes.
template <typename Tile, bool kAligned>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kMinBlocks)
    pipelined_kernel(const PipelinedArguments arguments) {
  const Schedule& schedule = arguments.schedule;
  const ThreadPlace<Tile> place;
  unsigned tile = blockIdx.x;
  int first_step = 0;
  int steps_left = schedule.steps;
  const bool shares = blockIdx.x >= static_cast<unsigned>(schedule.whole);
  const unsigned split_block = blockIdx.x - schedule.whole;
  if (shares) {
    const unsigned first = schedule.first_step(split_block);
    steps_left = schedule.first_step(split_block + 1) - first;
    tile = schedule.whole + first / schedule.steps;
    first_step = first % schedule.steps;
  }

  while (steps_left > 0) {
    const int to_end = schedule.steps - first_step;
    const int steps = steps_left < to_end ? steps_left : to_end;
    const TilePlace from = place_of(schedule, tile);
    TileSource<Tile, kAligned> source(arguments, from.row * Tile::BM, from.col * Tile::BN,
                                      first_step * Tile::BK);
    Sums<Tile> sums;
    multiply_steps<Tile>(sums, source, place, steps);

    // found anew, so that the steps above need not keep its place in registers
    asm volatile("" : "+r"(tile));
    const TilePlace at = place_of(schedule, tile);
    const bool alone = steps == schedule.steps;
    const std::int64_t slot = partial_slot(split_block, first_step == 0);
    const Destination to{arguments, alone ? nullptr : arguments.partials + slot * (Tile::BM * Tile::BN),
                         at.row * Tile::BM, at.col * Tile::BN};
    store_tile<Tile>(sums, place, to);
    steps_left -= steps;
    first_step = 0;
    ++tile;
  }
}

}  // namespace gemmlab::gpu
