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
/// stored. What a kernel cannot do is no part of its code, which short products wait for.
template <class Tile_, int kConsumerCount, bool kTurns, int kClusterBlocks, bool kPromotes = false,
          bool kShares = true>
struct RingPlan {
  using Tile = Tile_;
  using In = typename Tile::In;
  using Sum = typename Tile::Sum;
  static constexpr int kConsumers = kConsumerCount;
  static constexpr bool kInTurn = kTurns;
  static constexpr int kCluster = kClusterBlocks;
  static constexpr bool kPromoted = kPromotes;
  static constexpr bool kThroughShared = kShares;
  static constexpr int kSharers = kTurns ? 1 : kConsumers;  // warpgroups of a tile
  static constexpr int kDown = Tile::BM / kPieceRowsOfD / kSharers;
  static constexpr int kThreads = (1 + kConsumers) * kWarpgroup;
  static constexpr int kProducerRegisters = kConsumers == 3 ? 32 : 40;
  // all that are left
  static constexpr int kConsumerRegisters = kConsumers == 1 ? 216 : kConsumers == 2 ? 232 : 160;
  static constexpr int kSlots = kConsumers == 3 ? 1 : 2;  // of a consumer, for C
  using Shared = Stages<Tile, kConsumers * kSlots * kSlotBytes>;
  // room for the blocks of a copy that is launched early, which would else wait for this kernel's end
  static constexpr int kBlocksByRegisters = kConsumers == 1 ? 2 : 1;
  static constexpr int kHalf = 113 * 1024;  // bytes of a multiprocessor, for each of two blocks
  static constexpr int kBlocksAtOnce = kConsumers == 1 && Shared::kBytes <= kHalf ? 2 : 1;
  using Sums = Sum[kDown][Tile::BN / 2];
  static_assert(!kTurns || kConsumers == 2, "one multiplies, one stores");
};

template <class P>
struct Ring : P::Shared {
  /// Of a consumer: where C goes through.
  __device__ std::uint32_t slots(int consumer) const {
    return this->a(P::Tile::kStages) + consumer * P::kSlots * kSlotBytes;
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

/// What a block multiplies: of the tile at (row, col) the steps from `first` to before `end`, and the number of this part of C,
/// or -1 for all of a tile's terms.
struct Unit {
  int row;
  int col;
  int first;
  int end;
  int part;
};

template <class P>
__device__ inline Unit unit_of(int nth, const Arguments& work) {
  const bool all = nth < work.whole;
  const int late = nth - work.whole;
  const TilePlace place = work.place(all ? nth : work.whole + late / work.splits);
  const int block = P::kCluster == 1 ? 0 : static_cast<int>(parts::cluster_rank());
  Unit unit = {(place.row * P::kCluster + block) * P::Tile::BM, place.col * P::Tile::BN, 0, work.steps, -1};
  if (all) return unit;
  const auto step = [&](int split) {
    return static_cast<int>(static_cast<std::int64_t>(work.steps) * split / work.splits);
  };
  unit.first = step(late % work.splits);
  unit.end = step(late % work.splits + 1);
  unit.part = late * P::kCluster + block;
  return unit;
}

template <class P>
__device__ void produce(const Ring<P>& ring, const CUtensorMap& A, const CUtensorMap& B,
                        const Arguments& work) {
  parts::Turn<P::Tile::kStages> turn;
  for (int nth = static_cast<int>(parts::cluster_index()); nth < work.units();
       nth += static_cast<int>(parts::cluster_count())) {
    const Unit unit = unit_of<P>(nth, work);
    for (int step = unit.first; step < unit.end; ++step) {
      parts::barrier_wait(ring.empty(turn.stage), turn.phase ^ 1);  // the first round finds all empty
      load_stage<typename P::Tile, P::kCluster>(ring, turn.stage, A, B, unit.row, unit.col, step,
                                                work.stage_bytes);
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
    const int clusters = static_cast<int>(parts::cluster_count());
    int done = 0;
    for (int nth = static_cast<int>(parts::cluster_index()); nth < work_.units(); nth += clusters, ++done) {
      const Unit unit = unit_of<P>(nth, work_);
      if (P::kInTurn && done % 2 != consumer_) {
        begun_.advance(unit.end - unit.first);
        continue;
      }
      Sums D;
      if (P::kInTurn && done > 0) await_turn();
      multiply(D, unit);
      if (P::kInTurn && nth + clusters < work_.units()) give_turn();
      if (unit.part < 0) {
        store(D, unit);
      } else {
        leave(D, unit.part);
      }
    }
    if (P::kThroughShared) store_.finish();
  }

 private:
  static constexpr int kOwnBarrier = 1;                             // of a warpgroup
  static constexpr int kTurnBarrier = kOwnBarrier + P::kConsumers;  // whose turn it is to multiply

  __device__ void await_turn() const {
    asm volatile("bar.sync %0, 256;" ::"r"(kTurnBarrier + consumer_) : "memory");
  }
  __device__ void give_turn() const {
    asm volatile("bar.arrive %0, 256;" ::"r"(kTurnBarrier + 1 - consumer_) : "memory");
  }

  /// A stage that has been read, to all blocks that write into it.
  __device__ void give_back(int stage) const {
    const unsigned lane = threadIdx.x % 32;
    if (lane < P::kCluster) parts::barrier_arrive_at(ring_.empty(stage), lane);
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

  /// Where registers are left, the next stage is multiplied while a stage's sums are added; else the other warpgroup's is.
  __device__ void multiply_promoted(Sums& sums, const Unit& unit) {
    each_sum([&](int i, int j) { sums[i][j] = 0; });
    const auto add = [&](Sums& D, auto pending, int stage) {
#pragma unroll
      for (int i = 0; i < P::kDown; ++i) wait_for_sums<decltype(pending)::value>(D[i]);
      give_back(stage);
      each_sum([&](int i, int j) { sums[i][j] += D[i][j]; });
    };
    constexpr std::integral_constant<int, 0> kAll;
    constexpr std::integral_constant<int, 1> kAllButOne;
    if constexpr (P::kDown * Tile::BN > 128) {
      for (int step = unit.first; step < unit.end; ++step) {
        Sums D;
        const int stage = begin(D, false);
        add(D, kAll, stage);
      }
    } else {
      Sums even;
      Sums odd;
      int stage = begin(even, false);
      int step = unit.first + 1;
      for (; step + 1 < unit.end; step += 2) {
        const int of_odd = begin(odd, false);
        add(even, kAllButOne, stage);
        stage = begin(even, false);
        add(odd, kAllButOne, of_odd);
      }
      if (step < unit.end) {
        const int of_odd = begin(odd, false);
        add(even, kAllButOne, stage);
        add(odd, kAll, of_odd);
      } else {
        add(even, kAll, stage);
      }
    }
  }

  __device__ void store(const Sums& D, const Unit& unit) {
#pragma unroll
    for (int i = 0; i < P::kDown; ++i) {
      const int row = unit.row + row_ + i * kPieceRowsOfD;
      with_result<typename P::In>(work_.C.type, [&](auto out) {
        using Out = decltype(out);
        if constexpr (P::kThroughShared && StoreThroughShared<P::kSlots>::template kTakes<Out, Tile::BN>) {
          store_.template store<Out>(D[i], work_.C, row, unit.col);
        } else {
          store_from_registers<Out>(D[i], work_.C, row, unit.col);
        }
      });
    }
  }

  /// A part's sums, as they are, for add_parts.
  __device__ void leave(const Sums& D, int part) const {
    const Result to = {
        static_cast<Sum*>(work_.parts) + static_cast<std::int64_t>(part) * (Tile::BM * Tile::BN), Tile::BM,
        Tile::BN};
#pragma unroll
    for (int i = 0; i < P::kDown; ++i) store_from_registers<Sum>(D[i], to, row_ + i * kPieceRowsOfD, 0);
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
  StoreThroughShared<P::kSlots> store_;
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
  } else {
    parts::take_registers<P::kConsumerRegisters>();
    RingConsumer<P>(ring, C, work).work();
  }
  parts::cluster_sync();  // a block that has left can be neither written to, nor read from, nor told
}

template <class P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocksByRegisters)
    ring_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                const __grid_constant__ CUtensorMap C, const __grid_constant__ Arguments work) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  run_ring<P>(A, B, C, work);
#endif
}

}  // namespace gemmlab::gpu::tensor_core
