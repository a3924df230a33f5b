#pragma once

// Products by wgmma with a role for each warpgroup: one thread of the first asks TMA for the parts of A and B, into a ring of
// stages; the others multiply. What a rung has of this is in its Plan and in how it is launched. Ideas: CUTLASS' persistent
// kernels for Hopper ("warp-specialized cooperative", "ping-pong"), NVIDIA, and P. Shah, "Outperforming cuBLAS on H100", 2024.

#include "gpu/gemm/tensor/instructions/launch_after.h"
#include "gpu/gemm/wgmma/result.h"
#include "gpu/gemm/wgmma/tile.h"

namespace gemmlab::gpu::tensor_core {

/// kInTurn: each consumer has whole tiles, and multiplies while the other stores; else they share the rows of one. kPromoted:
/// sums leave the tensor cores' accumulators after every stage, for float32 in registers of their own. kThroughShared: how C is
/// stored. kMaySplit: a cluster may share out the terms of a tile. What a kernel cannot do is no part of its code, which short
/// products wait for.
template <class Tile_, int kConsumerCount, bool kTurns, int kClusterBlocks, bool kPromotes = false,
          bool kShares = true, bool kSplits = false>
struct RingPlan {
  using Tile = Tile_;
  using In = typename Tile::In;
  using Sum = typename Tile::Sum;
  static constexpr int kConsumers = kConsumerCount;
  static constexpr bool kInTurn = kTurns;
  static constexpr int kCluster = kClusterBlocks;
  static constexpr bool kPromoted = kPromotes;
  static constexpr bool kThroughShared = kShares;
  static constexpr bool kMaySplit = kSplits;
  static constexpr int kSharers = kTurns ? 1 : kConsumers;  // warpgroups of a tile
  static constexpr int kDown = Tile::BM / kPieceRowsOfD / kSharers;
  static constexpr int kThreads = (1 + kConsumers) * kWarpgroup;
  static constexpr int kProducerRegisters = 40;
  static constexpr int kConsumerRegisters = kConsumers == 1 ? 216 : 232;  // all that are left
  using Shared = Stages<Tile, kConsumers * kSlots * kSlotBytes>;
  static constexpr int kHalf = 113 * 1024;  // bytes of a multiprocessor, for each of two blocks
  static constexpr int kBlocksAtOnce = kConsumers == 1 && Shared::kBytes <= kHalf ? 2 : 1;
  using Sums = Sum[kDown][Tile::BN / 2];
  static_assert(!kTurns || kConsumers == 2, "one multiplies, one stores");
  static_assert(!kTurns || !kSplits, "a tile in parts is one for all consumers");
};

template <class P>
struct Ring : P::Shared {
  /// Of a consumer: where C goes through.
  __device__ std::uint32_t slots(int consumer) const {
    return this->a(P::Tile::kStages) + consumer * kSlots * kSlotBytes;
  }

  __device__ void init() const {
    for (int stage = 0; stage < P::Tile::kStages; ++stage) {
      parts::barrier_init(this->full(stage), 1);
      // each warp of a tile tells each block that writes here
      parts::barrier_init(this->empty(stage), P::kCluster * P::kSharers * kWarpgroup / 32);
    }
    parts::barrier_init_fence();
  }
};

/// What a block multiplies of a tile: its corner, and the steps from `first` to before `end`.
struct Unit {
  int row;
  int col;
  int first;
  int end;
};

template <class P>
__device__ inline Unit unit_of(int tile, const Arguments& work) {
  const TilePlace place = work.place(tile);
  const int rank = static_cast<int>(parts::cluster_rank());
  const int split = P::kMaySplit && work.splits > 1 ? rank : 0;
  const int block = P::kCluster == 1 ? 0 : rank;
  const auto step = [&](int nth) {
    return static_cast<int>(static_cast<std::int64_t>(work.steps) * nth / work.splits);
  };
  return {(place.row * P::kCluster + block) * P::Tile::BM, place.col * P::Tile::BN, step(split),
          step(split + 1)};
}

template <class P>
__device__ void produce(const Ring<P>& ring, const CUtensorMap& A, const CUtensorMap& B,
                        const Arguments& work) {
  parts::Turn<P::Tile::kStages> turn;
  for (int tile = static_cast<int>(parts::cluster_index()); tile < work.tiles();
       tile += static_cast<int>(parts::cluster_count())) {
    const Unit unit = unit_of<P>(tile, work);
    for (int step = unit.first; step < unit.end; ++step) {
      parts::barrier_wait(ring.empty(turn.stage), turn.phase ^ 1);  // the first round finds all empty
      load_stage<typename P::Tile, P::kCluster>(ring, turn.stage, A, B, unit.row, unit.col, step);
      turn.next();
    }
  }
}

/// A warpgroup that multiplies.
template <class P>
class RingConsumer {
  using Tile = typename P::Tile;
  using Sum = typename P::Sum;
  using Sums = typename P::Sums;

 public:
  __device__ RingConsumer(const Ring<P>& ring, const CUtensorMap& C, const Arguments& work)
      : ring_(ring),
        work_(work),
        consumer_(static_cast<int>(threadIdx.x) / kWarpgroup - 1),
        row_(P::kInTurn ? 0 : consumer_ * (Tile::BM / P::kSharers)),
        store_(C, ring.slots(consumer_), kOwnBarrier + consumer_) {}

  __device__ void work() {
    int nth = 0;
    for (int tile = static_cast<int>(parts::cluster_index()); tile < work_.tiles();
         tile += static_cast<int>(parts::cluster_count()), ++nth) {
      const Unit unit = unit_of<P>(tile, work_);
      if (P::kInTurn && nth % 2 != consumer_) {
        begun_.advance(unit.end - unit.first);
        continue;
      }
      const bool more = tile + static_cast<int>(parts::cluster_count()) < work_.tiles();
      Sums D;
      if (P::kInTurn && nth > 0) await_turn();
      multiply(D, unit);
      if (P::kInTurn && more) give_turn();
      if (P::kMaySplit && work_.splits > 1) {
        leave(D);
      } else {
        store(D, unit);
      }
    }
    if (P::kThroughShared) store_.finish();
  }

  /// After a barrier of the cluster: adds up what its blocks have left, in the order of the terms. Each block has its share of
  /// the tile's rows, each thread four neighbours of a row at a time.
  __device__ void add_up_parts() const {
    switch (work_.splits) {
      case 2:
        return add_up<2>();
      case 4:
        return add_up<4>();
      default:
        return add_up<8>();
    }
  }

 private:
  template <int kSplits>
  __device__ void add_up() const {
    constexpr int kRowVectors = Tile::BN / 4;
    const Unit unit = unit_of<P>(static_cast<int>(parts::cluster_index()), work_);
    constexpr int kRows = Tile::BM / kSplits;
    const int first = static_cast<int>(parts::cluster_rank()) * kRows;
#pragma unroll 2
    for (int i = static_cast<int>(threadIdx.x) - kWarpgroup; i < kRows * kRowVectors;
         i += P::kConsumers * kWarpgroup) {
      const int row = first + i / kRowVectors;
      const int col = i % kRowVectors * 4;
      Sum sums[4] = {};
#pragma unroll
      for (int split = 0; split < kSplits; ++split) {
        const uint4 bits =
            parts::read_shared_of(ring_.base + (row * kPartPitch + col) * 4, static_cast<unsigned>(split));
        const unsigned words[] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[j] += from_bits(words[j], Sum());
      }
      with_result<typename P::In>(work_.C.type, [&](auto out) {
        store_neighbours<decltype(out)>(sums, work_.C, unit.row + row, unit.col + col);
      });
    }
  }

  static constexpr int kOwnBarrier = 1;                             // of a warpgroup
  static constexpr int kTurnBarrier = kOwnBarrier + P::kConsumers;  // whose turn it is to multiply
  static constexpr int kAllBarrier = kTurnBarrier + P::kConsumers;
  static constexpr int kPartPitch =
      Tile::BN + 8;  // of a part's rows in shared memory: lanes of 8 rows in different banks
  static_assert(!P::kMaySplit || Tile::BM * kPartPitch * 4 <= Tile::kStages * Tile::kStageBytes);

  __device__ void await_turn() const {
    asm volatile("bar.sync %0, 256;" ::"r"(kTurnBarrier + consumer_) : "memory");
  }
  __device__ void give_turn() const {
    asm volatile("bar.arrive %0, 256;" ::"r"(kTurnBarrier + 1 - consumer_) : "memory");
  }

  /// A stage that has been read, to all blocks that write into it.
  __device__ void give_back(int stage) const {
    const unsigned lane = threadIdx.x % 32;
    // alone, a block may still be one of a cluster that shares out K
    if (lane < P::kCluster)
      parts::barrier_arrive_at(ring_.empty(stage), P::kCluster == 1 ? parts::cluster_rank() : lane);
  }

  /// Begins the products of the next stage, and names it.
  __device__ int begin(Sums& D, bool onto) {
    const int stage = begun_.stage;
    parts::barrier_wait(ring_.full(stage), begun_.phase);
    multiply_stage<Tile, P::kDown>(D, ring_, stage, row_, onto);
    begun_.next();
    return stage;
  }

  __device__ void multiply(Sums& D, const Unit& unit) {
    if constexpr (P::kPromoted) {
      multiply_promoted(D, unit);
      return;
    }
    int before = begin(D, false);
    for (int step = unit.first + 1; step < unit.end; ++step) {
      const int now = begin(D, true);
      parts::wgmma_wait_for_reads<1>();
      give_back(before);
      before = now;
    }
#pragma unroll
    for (int i = 0; i < P::kDown; ++i) wait_for_sums(D[i]);
    give_back(before);
  }

  /// The other warpgroup's products fill the gap in which sums are added.
  __device__ void multiply_promoted(Sums& sums, const Unit& unit) {
    each_sum([&](int i, int j) { sums[i][j] = 0; });
    for (int step = unit.first; step < unit.end; ++step) {
      Sums D;
      const int stage = begin(D, false);
#pragma unroll
      for (int i = 0; i < P::kDown; ++i) wait_for_sums(D[i]);
      give_back(stage);
      each_sum([&](int i, int j) { sums[i][j] += D[i][j]; });
    }
  }

  __device__ void store(const Sums& D, const Unit& unit) {
#pragma unroll
    for (int i = 0; i < P::kDown; ++i) {
      const int row = unit.row + row_ + i * kPieceRowsOfD;
      with_result<typename P::In>(work_.C.type, [&](auto out) {
        using Out = decltype(out);
        if constexpr (P::kThroughShared && StoreThroughShared::kTakes<Out, Tile::BN>) {
          store_.template store<Out>(D[i], work_.C, row, unit.col);
        } else {
          store_from_registers<Out>(D[i], work_.C, row, unit.col);
        }
      });
    }
  }

  /// A part's sums to shared memory, over the stages, which nobody needs any more: a cluster has one tile.
  __device__ void leave(const Sums& D) const {
    asm volatile("bar.sync %0, %1;" ::"n"(kAllBarrier), "n"(P::kConsumers * kWarpgroup) : "memory");
    const int thread = threadIdx.x % kWarpgroup;
    each_sum([&](int i, int j) {
      const int row = row_ + i * kPieceRowsOfD + thread / 32 * 16 + thread % 32 / 4 + j / 2 % 2 * 8;
      const int col = j / 4 * 8 + thread % 4 * 2 + j % 2;
      write_shared(ring_.base + (row * kPartPitch + col) * 4, to_bits(D[i][j]));
    });
  }

  template <typename Do>
  __device__ static void each_sum(const Do& act) {
#pragma unroll
    for (int i = 0; i < P::kDown; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::BN / 2; ++j) act(i, j);
    }
  }

  const Ring<P>& ring_;
  const Arguments& work_;
  const int consumer_;
  const int row_;  // of this warpgroup's first within the tile
  parts::Turn<Tile::kStages> begun_;
  StoreThroughShared store_;
};

/// All that a block does.
template <class P>
__device__ void run_ring(const CUtensorMap& A, const CUtensorMap& B, const CUtensorMap& C,
                         const Arguments& work) {
  const Ring<P> ring;
  parts::start_next();
  if (threadIdx.x == 0) {
    parts::prefetch(&A);
    parts::prefetch(&B);
    ring.init();
  }
  parts::cluster_sync();
  parts::wait_for_previous();
  if (threadIdx.x < kWarpgroup) {
    parts::give_registers<P::kProducerRegisters>();
    if (threadIdx.x == 0) produce<P>(ring, A, B, work);
    if (P::kMaySplit && work.splits > 1) parts::cluster_sync();
  } else {
    parts::take_registers<P::kConsumerRegisters>();
    RingConsumer<P> consumer(ring, C, work);
    consumer.work();
    if (P::kMaySplit && work.splits > 1) {
      parts::cluster_sync();
      consumer.add_up_parts();
    }
  }
  parts::cluster_sync();  // a block that has left can be neither written to, nor read from, nor told
}

template <class P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocksAtOnce)
    ring_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                const __grid_constant__ CUtensorMap C, const __grid_constant__ Arguments work) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  run_ring<P>(A, B, C, work);
#endif
}

}  // namespace gemmlab::gpu::tensor_core
