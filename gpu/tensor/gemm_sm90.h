#pragma once

// The kernel of gemm_sm90.cu, which launches it.
//
// A cluster of two blocks computes 256×128 of C, a block 128×128 of it. One thread of a block asks TMA for
// the parts of A and B, a step of 64 of K at a time, into a ring of stages; each block of the cluster fetches
// half of the tile of B and sends it to both, which spares L2 a quarter of its reads. Two warpgroups take
// 64×128 of C each: all products of a step go into one set of accumulators, the small ones first; while the
// tensor core works on the next step in a second set, the first is added to the sums in FP32, because the
// tensor core rounds towards zero and would drift over a long K. Registers of a thread: 2·64 accumulators and
// 64 sums.

#include "gpu/tensor/findings.h"
#include "gpu/tensor/ptx_sm90.h"
#include "gpu/tensor/schemes.h"
#include "gpu/tensor/tiles.h"
#include "gpu/tensor/wgmma.h"

namespace gemmlab::gpu::parts::sm90 {

constexpr int kBlockRows = 128;  // BM
constexpr int kBlockCols = 128;  // BN
constexpr int kStep = 64;        // BK: 128 bytes a row, the width of the swizzle
constexpr int kCluster = 2;      // blocks that share a tile of B
constexpr int kConsumers = 2;    // warpgroups that multiply
constexpr int kWarpgroup = 128;  // threads
constexpr int kThreads = (1 + kConsumers) * kWarpgroup;
constexpr int kRowBytes = kStep * 2;
constexpr int kTileBytes = kBlockRows * kRowBytes;   // of one part, of A or of B
constexpr int kSharedRowsB = kBlockCols / kCluster;  // of B's tile, that one block fetches
static_assert(kBlockRows == kBlockCols && kStep == kSegment);

/// Of a scheme: bytes of a stage, and as many stages as fit.
template <typename Scheme>
struct Ring {
  static constexpr int kStageBytes = 2 * Scheme::kParts * kTileBytes;
  static constexpr int kStages = (220 * 1024) / kStageBytes;
  static constexpr int kAlignment = 1024;  // eight rows of the swizzle
  static constexpr int kBytes = kStages * kStageBytes + kAlignment + 2 * kStages * 8;
};

struct Problem {
  const Findings* findings;
  Output output;
  Tiles tiles;  // of a cluster
  int steps;    // of K; the last may lie partly beyond it
  bool half_allowed;
};

/// First row and column of the block's part of a cluster's tile.
struct Corner {
  int row;
  int col;
};

__device__ inline Corner corner_of(int tile, const Problem& problem) {
  const Tiles::Place place = problem.tiles.place(tile);
  return {(place.down * kCluster + static_cast<int>(cluster_rank())) * kBlockRows, place.across * kBlockCols};
}

/// Stages go round the ring; a phase is a round.
template <int kStages>
struct Turn {
  int stage = 0;
  unsigned phase = 0;
  __device__ void next() {
    if (++stage == kStages) {
      stage = 0;
      phase ^= 1;
    }
  }
};

/// Addresses in shared memory: stages, and for each a barrier "full" and one "empty".
template <typename Scheme>
struct Stages {
  using Sizes = Ring<Scheme>;
  std::uint32_t base;
  __device__ Stages()
      : base((dynamic_shared() + Sizes::kAlignment - 1) / Sizes::kAlignment * Sizes::kAlignment) {}
  __device__ std::uint32_t a(int stage, int part) const {
    return base + stage * Sizes::kStageBytes + part * kTileBytes;
  }
  __device__ std::uint32_t b(int stage, int part) const { return a(stage, Scheme::kParts + part); }
  __device__ std::uint32_t full(int stage) const {
    return base + Sizes::kStages * Sizes::kStageBytes + stage * 8;
  }
  __device__ std::uint32_t empty(int stage) const { return full(Sizes::kStages + stage); }

  __device__ void init() const {
    for (int stage = 0; stage < Sizes::kStages; ++stage) {
      barrier_init(full(stage), 1);
      barrier_init(empty(stage), kCluster * kConsumers * kWarpgroup / 32);  // each warp tells each block
    }
    barrier_init_fence();
  }
};

/// The thread that fetches. B's tile comes in as many pieces as the cluster has blocks.
template <typename Scheme>
__device__ void produce(const Stages<Scheme>& stages, const CUtensorMap& A, const CUtensorMap& B,
                        const Problem& problem) {
  const int first_of_b = static_cast<int>(cluster_rank()) * kSharedRowsB;
  const int tiles = problem.tiles.count();
  Turn<Ring<Scheme>::kStages> turn;
  for (int tile = static_cast<int>(cluster_index()); tile < tiles;
       tile += static_cast<int>(cluster_count())) {
    const Corner corner = corner_of(tile, problem);
    for (int step = 0; step < problem.steps; ++step) {
      const std::uint32_t full = stages.full(turn.stage);
      barrier_wait(stages.empty(turn.stage), turn.phase ^ 1);  // the first round finds all empty
      barrier_expect(full, Ring<Scheme>::kStageBytes);
      for (int part = 0; part < Scheme::kParts; ++part) {
        tma_load(stages.a(turn.stage, part), &A, step * kStep, corner.row, part, full);
        const std::uint32_t piece = stages.b(turn.stage, part) + first_of_b * kRowBytes;
        tma_load_to(piece, &B, step * kStep, corner.col + first_of_b, part, full, (1 << kCluster) - 1);
      }
      turn.next();
    }
  }
}

/// One warpgroup's 64×128 of C.
template <typename Scheme>
class Consumer {
 public:
  __device__ Consumer(const Stages<Scheme>& stages, const Problem& problem)
      : stages_(stages),
        problem_(problem),
        row_((threadIdx.x / kWarpgroup - 1) * (kBlockRows / kConsumers)) {}

  __device__ void work() {
    const int tiles = problem_.tiles.count();
    for (int tile = static_cast<int>(cluster_index()); tile < tiles;
         tile += static_cast<int>(cluster_count())) {
      Accumulators sums = {};
      multiply(sums);
      store(sums, corner_of(tile, problem_));
    }
  }

 private:
  __device__ void multiply(Accumulators& sums) {
    int step = 0;
    for (; step + Scheme::kRun <= problem_.steps; step += Scheme::kRun) run_of<Scheme::kRun>(sums);
    for (; step < problem_.steps; ++step) run_of<1>(sums);
  }

  /// Steps of K in which the tensor core never waits for the sums: two sets of accumulators take turns, and
  /// it works on one while the other is added up. Runs end, since ptxas follows accumulators under way round
  /// no loop; it would let every wgmma end before the next (C7514). The other warpgroup's products fill the
  /// gap between two runs.
  template <int kSteps>
  __device__ void run_of(Accumulators& sums) {
    Accumulators D[2];
    begin(D[0]);
#pragma unroll
    for (int step = 1; step < kSteps; ++step) {
      begin(D[step % 2]);
      end<1>(D[(step - 1) % 2], sums);
    }
    end<0>(D[(kSteps - 1) % 2], sums);
  }

  /// Hands a step's products to the tensor core.
  __device__ void begin(Accumulators& D) {
    barrier_wait(stages_.full(begun_.stage), begun_.phase);
    wgmma_fence();
#pragma unroll
    for (int product = 0; product < Scheme::kProducts; ++product) {
      const std::uint64_t A =
          descriptor(stages_.a(begun_.stage, Scheme::part_of_a(product)) + row_ * kRowBytes);
      const std::uint64_t B = descriptor(stages_.b(begun_.stage, Scheme::part_of_b(product)));
#pragma unroll
      for (int k = 0; k < kStep; k += 16) {
        // a row's next 16 elements lie 32 bytes on: the swizzle is a matter of address bits, not of the start
        if (product == 0 && k == 0) {
          wgmma_first(D, A, B, typename Scheme::Part());
        } else {
          wgmma(D, A + k * 2 / 16, B + k * 2 / 16, typename Scheme::Part());
        }
      }
    }
    wgmma_commit();
    begun_.next();
  }

  /// Takes the sums of a step out of the tensor core while `kPending` later ones go on, and gives its stage
  /// back to all blocks that write into it.
  template <int kPending>
  __device__ void end(Accumulators& D, Accumulators& sums) {
    wgmma_wait<kPending>(D);
    const int lane = threadIdx.x % 32;
    if (lane < kCluster) barrier_arrive_at(stages_.empty(ended_.stage), lane);
    ended_.next();
#pragma unroll
    for (int i = 0; i < kAccumulators; ++i) sums[i] += D[i];
  }

  /// Where the accumulators lie in the tile: wgmma.h.
  __device__ void store(const Accumulators& sums, const Corner& corner) const {
    const int thread = threadIdx.x % kWarpgroup;
    const int col0 = corner.col + thread % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = corner.row + row_ + thread / 32 * 16 + thread % 32 / 4 + 8 * half;
      if (row >= problem_.output.M) return;
      const RowOfC C(problem_.output, row);
#pragma unroll
      for (int i = 0; i < kBlockCols / 8; ++i) {
        if (!C.store(col0 + 8 * i, sums[4 * i + 2 * half], sums[4 * i + 2 * half + 1])) break;
      }
    }
  }

  const Stages<Scheme>& stages_;
  const Problem& problem_;
  const int row_;  // of this warpgroup within the block's tile
  Turn<Ring<Scheme>::kStages> begun_;
  Turn<Ring<Scheme>::kStages> ended_;
};

template <typename Scheme>
__device__ void gemm(const CUtensorMap& A, const CUtensorMap& B, const Problem& problem) {
  if (way_of(*problem.findings, problem.half_allowed) != Scheme::kWay) return;
  const Stages<Scheme> stages;
  if (threadIdx.x == 0) stages.init();
  cluster_sync();
  if (threadIdx.x < kWarpgroup) {
    give_registers<40>();
    if (threadIdx.x == 0) produce(stages, A, B, problem);
  } else {
    take_registers<232>();
    Consumer<Scheme>(stages, problem).work();
  }
  cluster_sync();  // a block that has left can be neither written to nor told
}

}  // namespace gemmlab::gpu::parts::sm90
