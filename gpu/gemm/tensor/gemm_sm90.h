#pragma once

// The kernel of gemm_sm90.cu, which launches it.
//
// A block computes 128×128 or 128×64 of C, a cluster of two blocks twice as many rows. One thread of a block
// asks TMA for the parts of A and B, a step of K at a time, into a ring of stages; each block of the cluster
// fetches half of the tile of B and sends it to both, which spares L2 a quarter of its reads. Two warpgroups
// take half of the rows each: the leading product of a few steps goes into one set of accumulators and is then
// added to the sums in FP32, because the tensor core rounds towards zero and would drift over a long K; the
// small ones have a set of their own. Where asked to, what an addition rounds off stays in the accumulators
// (carry.h). Registers of a thread: 2·64 accumulators and 64 sums.

#include "gpu/gemm/tensor/carry.h"
#include "gpu/gemm/tensor/instructions/ptx_sm90.h"
#include "gpu/gemm/tensor/instructions/wgmma.h"
#include "gpu/gemm/tensor/ring_sm90.h"
#include "gpu/gemm/tensor/schemes.h"
#include "gpu/gemm/tensor/tiles.h"

namespace gemmlab::gpu::parts::sm90 {

/// The thread that fetches. B's tile comes in as many pieces as the cluster has blocks.
template <typename Scheme, typename Tile>
__device__ void produce(const Stages<Scheme, Tile>& stages, const CUtensorMap& A, const CUtensorMap& B,
                        const Arguments& arguments) {
  const int first_of_b = static_cast<int>(cluster_rank()) * Tile::kRowsOfB;
  constexpr unsigned kAll = (1u << kCluster) - 1;
  const int tiles = count_of<Tile>(arguments);
  Turn<Ring<Scheme, Tile>::kStages> turn;
  for (int tile = static_cast<int>(cluster_index()); tile < tiles;
       tile += static_cast<int>(cluster_count())) {
    const Corner corner = corner_of_parts<Tile>(corner_of<Tile>(tile, arguments), arguments);
    for (int step = 0; step < arguments.steps; ++step) {
      const std::uint32_t full = stages.full(turn.stage);
      barrier_wait(stages.empty(turn.stage), turn.phase ^ 1);  // the first round finds all empty
      barrier_expect(full, Ring<Scheme, Tile>::kStageBytes);
      for (int part = 0; part < Scheme::kParts; ++part) {
        const int k = step * Tile::kStep;
        tma_load(stages.a(turn.stage, part), &A, k, corner.row, part, full);
        tma_load_to(stages.b(turn.stage, part) + first_of_b * Tile::kRowBytes, &B, k, corner.col + first_of_b,
                    part, full, kAll);
      }
      turn.next();
    }
  }
}

/// What the warpgroups that multiply have in common: their rows of the block's tile, and their turns at the ring.
template <typename Scheme, typename Tile>
class RingReader {
 public:
  __device__ RingReader(const Stages<Scheme, Tile>& stages, const Arguments& arguments)
      : stages_(stages),
        arguments_(arguments),
        row_((threadIdx.x / kWarpgroup - 1) * (kBlockRows / kConsumers)) {}

 protected:
  /// Calls compute(tile) for each tile of C that is this cluster's.
  template <typename Compute>
  __device__ void each_tile(const Compute& compute) {
    const int tiles = count_of<Tile>(arguments_);
    for (int tile = static_cast<int>(cluster_index()); tile < tiles;
         tile += static_cast<int>(cluster_count()))
      compute(tile);
  }

  __device__ void open_stage() {
    barrier_wait(stages_.full(begun_.stage), begun_.phase);
    wgmma_fence();
  }

  __device__ void close_stage() {
    wgmma_commit();
    begun_.next();
  }

  /// The oldest stage not given back, to all blocks that write into it.
  __device__ void give_back() {
    if (threadIdx.x % 32 < kCluster) barrier_arrive_at(stages_.empty(ended_.stage), threadIdx.x % 32);
    ended_.next();
  }

  /// This warpgroup's rows of A's part, and B's part, in the stage that is open.
  __device__ std::uint64_t of_a(int part) const {
    return descriptor<Tile::kRowBytes>(stages_.a(begun_.stage, part) + row_ * Tile::kRowBytes);
  }
  __device__ std::uint64_t of_b(int part) const {
    return descriptor<Tile::kRowBytes>(stages_.b(begun_.stage, part));
  }

  /// The row of C that a thread's first (`half` 0) or second accumulators of four belong to: wgmma.h.
  __device__ int row_of(const Corner& corner, int half) const {
    const int thread = threadIdx.x % kWarpgroup;
    return corner.row + row_ + thread / 32 * 16 + thread % 32 / 4 + 8 * half;
  }
  __device__ static int first_col(const Corner& corner) { return corner.col + threadIdx.x % 4 * 2; }

  const Stages<Scheme, Tile>& stages_;
  const Arguments& arguments_;
  const int row_;  // of this warpgroup within the block's tile
  Turn<Ring<Scheme, Tile>::kStages> begun_;
  Turn<Ring<Scheme, Tile>::kStages> ended_;
};

/// One warpgroup's 64×kCols of C.
template <typename Scheme, typename Tile>
class Consumer : RingReader<Scheme, Tile> {
  using Reader = RingReader<Scheme, Tile>;

 public:
  using Reader::Reader;

  __device__ void work() {
    Reader::each_tile([this](int tile) {
      Sums sums = {};
      multiply(sums);
      store(sums, corner_of<Tile>(tile, arguments_));
    });
  }

 private:
  using Sums = Accumulators<Tile::kCols>;
  using Reader::arguments_;
  using Reader::close_stage;
  using Reader::give_back;
  using Reader::open_stage;

  __device__ void multiply(Sums& sums) {
    if constexpr (Scheme::kArithmetic == Arithmetic::kHalf) {
      multiply_pairs(sums);
    } else {
      multiply_triples(sums);
    }
  }

  /// hi·hi, which has few bits, stays exact where few of a step's products are not zero. What is rounded off goes to
  /// the small ones.
  __device__ void multiply_triples(Sums& sums) {
    Sums small = {};
    for (int step = 0; step < arguments_.steps; ++step) {
      Sums leading;
      open_stage();
#pragma unroll
      for (int product = 0; product < Scheme::kProducts - 1; ++product) add_product<false>(small, product);
      add_product<true>(leading, Scheme::kProducts - 1);
      close_stage();
      wgmma_wait<0>(leading);
      wgmma_wait<0>(small);
      give_back();
#pragma unroll
      for (int i = 0; i < Tile::kCols / 2; ++i) {
        add_and_carry(sums[i], leading[i]);
        small[i] += leading[i];
        add_and_carry(sums[i], small[i]);
      }
    }
    add(small, sums);
  }

  /// The small products, kRaisedLow times too large, are summed over all of K by the tensor core. Runs end, since ptxas
  /// follows accumulators under way round no loop; it would let every wgmma end before the next (C7514).
  __device__ void multiply_pairs(Sums& sums) {
    Sums D = {};
    Sums small = {};
    int step = 0;
    for (; step + Tile::kRun <= arguments_.steps; step += Tile::kRun) run_of<Tile::kRun>(D, small, sums);
    for (; step < arguments_.steps; ++step) run_of<1>(D, small, sums);
#pragma unroll
    for (int i = 0; i < Tile::kCols / 2; ++i)
      sums[i] += small[i] * (1 / kRaisedLow) + (Tile::kCarry ? D[i] : 0.0f);
  }

  /// Between runs, D holds what was rounded off, or nothing.
  template <int kSteps>
  __device__ void run_of(Sums& D, Sums& small, Sums& sums) {
    begin<!Tile::kCarry>(D, small);
#pragma unroll
    for (int step = 1; step < kSteps; ++step) {
      begin<false>(D, small);
      wgmma_wait_for_reads<1>();
      give_back();
    }
    wgmma_wait<0>(D);
    wgmma_wait<0>(small);
    give_back();
    add_up(D, sums);
  }

  /// Hands a step's products to the tensor core.
  template <bool kFromZero>
  __device__ void begin(Sums& D, Sums& small) {
    open_stage();
#pragma unroll
    for (int product = 0; product < Scheme::kProducts - 1; ++product) add_product<false>(small, product);
    add_product<kFromZero>(D, Scheme::kProducts - 1);
    close_stage();
  }

  /// One product of parts over a step of K, from zero or onto D.
  template <bool kFromZero>
  __device__ void add_product(Sums& D, int product) {
    const std::uint64_t A = Reader::of_a(Scheme::part_of_a(product));
    const std::uint64_t B = Reader::of_b(Scheme::part_of_b(product));
#pragma unroll
    for (int k = 0; k < Tile::kStep; k += 16) {
      // a row's next 16 elements lie 32 bytes on: the swizzle is a matter of address bits, not of the start
      if (kFromZero && k == 0) {
        wgmma_first(D, A, B, typename Scheme::Part());
      } else {
        wgmma(D, A + k * 2 / 16, B + k * 2 / 16, typename Scheme::Part());
      }
    }
  }

  __device__ static void add(const Sums& D, Sums& sums) {
#pragma unroll
    for (int i = 0; i < Tile::kCols / 2; ++i) sums[i] += D[i];
  }

  __device__ static void add_up(Sums& D, Sums& sums) {
    if constexpr (Tile::kCarry) {
#pragma unroll
      for (int i = 0; i < Tile::kCols / 2; ++i) add_and_carry(sums[i], D[i]);
    } else {
      add(D, sums);
    }
  }

  /// Where the accumulators lie in the tile: wgmma.h.
  __device__ void store(const Sums& sums, const Corner& corner) const {
    const int col0 = Reader::first_col(corner);
    const Output& output = output_at<Tile>(corner, arguments_);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = Reader::row_of(corner, half);
      if (row >= output.M) return;
      const RowOfC C(output, row);
      float2 before[Tile::kCols / 8];
#pragma unroll
      for (int i = 0; i < Tile::kCols / 8; ++i) before[i] = C.read(col0 + 8 * i);
#pragma unroll
      for (int i = 0; i < Tile::kCols / 8; ++i) {
        if (!C.store(col0 + 8 * i, sums[4 * i + 2 * half], sums[4 * i + 2 * half + 1], before[i])) break;
      }
    }
  }
};

/// All that a block does; its warpgroups that multiply are Consumers.
template <typename Scheme, typename Tile, typename Consumer>
__device__ void run(const CUtensorMap& A, const CUtensorMap& B, const Arguments& arguments) {
  const Stages<Scheme, Tile> stages;
  if (threadIdx.x == 0) stages.init();
  cluster_sync();
  if (threadIdx.x < kWarpgroup) {
    give_registers<kProducerRegisters>();
    if (threadIdx.x == 0) produce(stages, A, B, arguments);
  } else {
    take_registers<kConsumerRegisters>();
    Consumer(stages, arguments).work();
  }
  cluster_sync();  // a block that has left can be neither written to nor told
}

template <typename Scheme, typename Tile>
__device__ void gemm(const CUtensorMap& A, const CUtensorMap& B, const Arguments& arguments) {
  run<Scheme, Tile, Consumer<Scheme, Tile>>(A, B, arguments);
}

}  // namespace gemmlab::gpu::parts::sm90
