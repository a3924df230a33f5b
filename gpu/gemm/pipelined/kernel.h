#pragma once

// The one kernel behind gpu.pipelined, for every tile. For .cu files.
//
// On a card whose FP32 units take one instruction a cycle and sub-partition, whatever is not an FFMA costs
// one, and so does an FFMA whose operands meet in a bank of registers. So a thread computes TM×TN = 16×8
// elements where the shape allows, and walks them in pairs of columns: of a pair's operands, those of B stay
// with the multipliers from row to row. Both tiles come by cp.async; A's is turned on the way, four bytes a
// copy, so that a thread's rows of a step of k lie side by side in registers, as its columns do. Fragments
// are read one step of k ahead of their use, across the barrier between two stages, too.

#include "gpu/gemm/async_copy.h"
#include "gpu/gemm/pipelined/schedule.h"
#include "gpu/gemm/register_tile.h"

namespace gemmlab::gpu {

struct PipelinedArguments {
  const float* A;
  const float* B;
  float* C;
  float* partials;  ///< BM×BN sums a slot, for tiles that several blocks share
  int M;
  int N;
  int K;
  int row_of_b;     ///< floats from one row of B to the next
  bool c_in_fours;  ///< every row of C starts at a multiple of 16 bytes
  Schedule schedule;
  float alpha = 1;  ///< what sums are multiplied by, unknown to the compiler: see Sums::four
  // behind the others: where they stand changes what ptxas makes of the loop, and these were added last
  int row_of_a = 0;   ///< floats from one row of A to the next
  int cols_of_b = 0;  ///< floats of a row of B that may be read: N, or more where B was copied
};

/// BM×BN: a block's tile of C, in steps of BK; WM×WN a warp's, TM×TN a thread's. SLICES groups of warps share
/// a step's k and add up at the end. STAGES tiles of A and B are in shared memory, from 3. MIN_BLOCKS an SM.
template <int BM_, int BN_, int BK_, int WM_, int WN_, int TM_, int TN_, int SLICES_, int STAGES_,
          int MIN_BLOCKS_>
struct PipelinedTile {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, TM = TM_, TN = TN_;
  static constexpr int kSlices = SLICES_, kStages = STAGES_, kMinBlocks = MIN_BLOCKS_;
  static constexpr int kWarp = 32;
  static constexpr int kSliceThreads = BM / WM * (BN / WN) * kWarp;
  static constexpr int kThreads = kSliceThreads * kSlices;
  static constexpr int kLanesDown = WM / TM;
  static constexpr int kLanesAcross = WN / TN;
  static constexpr int kRowOfAs = BM + kVector;  // neighbours along k are then written to different banks
  static constexpr int kStageOfA = BK * kRowOfAs;
  static constexpr int kStage = kStageOfA + BK * BN;
  static constexpr int kDepth = BK / kSlices;  // steps of k that a slice takes of a stage
  static constexpr int kStagesBytes = kStages * kStage * static_cast<int>(sizeof(float));
  static constexpr int kHalvesBytes = kSlices > 1 ? kSlices* BM / 2 * BN* static_cast<int>(sizeof(float)) : 0;
  static constexpr int kSharedBytes = kStagesBytes > kHalvesBytes ? kStagesBytes : kHalvesBytes;
  static_assert(kSlices == 1 || TM % (2 * kVector) == 0, "slices are added half by half");
  static_assert(TM % kVector == 0 && TN % kVector == 0, "fragments are read in fours");
  static_assert(kDepth % 2 == 0, "the two fragments change places an even number of times");
  static_assert(kStages >= 3, "one stage is read, one is complete, one is being filled");
};

/// Shares of copying a tile of ROWS×COLS by all threads, `STEP` neighbours a copy: `ACROSS` threads side by
/// side, the others below; a thread goes on to the right first, then down.
template <int ROWS, int COLS, int THREADS, int STEP, int ACROSS>
struct TileShare {
  static constexpr int kRowsAtOnce = THREADS / ACROSS < ROWS ? THREADS / ACROSS : ROWS;
  static constexpr int kRows = ROWS / kRowsAtOnce;
  static constexpr int kColsAtOnce = ACROSS * STEP;
  static constexpr int kCols = COLS / kColsAtOnce;
  static constexpr int kCopies = kRows * kCols;
  static_assert(THREADS % ACROSS == 0 && ROWS % kRowsAtOnce == 0 && COLS % kColsAtOnce == 0,
                "equal shares of copying");
  __device__ static int row() { return threadIdx.x / ACROSS; }
  __device__ static int col() { return threadIdx.x % ACROSS * STEP; }
  __device__ static bool takes_part() { return THREADS / ACROSS <= ROWS || row() < ROWS; }
};

/// The way of A's and B's tiles into the stages, in order of k. Rows and columns beyond C's are copied from
/// its last ones, for sums that nobody stores; beyond K are zeros.
template <typename Tile, bool kFours>
class TileSource {
 public:
  static constexpr int kStepOfB = kFours ? kVector : 1;
  /// 32 bytes, a sector, of each of four rows of A a warp: they are written to 32 banks.
  using ShareOfA = TileShare<Tile::BM, Tile::BK, Tile::kThreads, 1, 8>;
  using ShareOfB = TileShare<Tile::BK, Tile::BN, Tile::kThreads, kStepOfB, Tile::BN / kStepOfB>;
  static constexpr int kCopies = ShareOfA::kCopies + ShareOfB::kCopies;

  __device__ TileSource(const PipelinedArguments& arguments, int row, int col, int k0)
      : row_of_b_(arguments.row_of_b), depth_(arguments.K - k0) {
#pragma unroll
    for (int n = 0; n < ShareOfA::kRows; ++n) {
      const int from = min(row + ShareOfA::row() + n * ShareOfA::kRowsAtOnce, arguments.M - 1);
      a_[n] = arguments.A + static_cast<std::int64_t>(from) * arguments.row_of_a + k0 + ShareOfA::col();
    }
    b_ = arguments.B + static_cast<std::int64_t>(k0 + ShareOfB::row()) * arguments.row_of_b +
         min(col + ShareOfB::col(), arguments.cols_of_b - kStepOfB);
  }

  /// Begins the `n`th of this thread's kCopies copies of a step's tiles.
  __device__ void copy(int n, float* stage) const {
    if (n < ShareOfA::kCopies) {
      if (!ShareOfA::takes_part()) return;
      const int row = n / ShareOfA::kCols;
      const int k = n % ShareOfA::kCols * ShareOfA::kColsAtOnce;
      copy_async<sizeof(float)>(
          stage + (ShareOfA::col() + k) * Tile::kRowOfAs + ShareOfA::row() + row * ShareOfA::kRowsAtOnce,
          a_[row] + k, ShareOfA::col() + k < depth_);
    } else {
      if (!ShareOfB::takes_part()) return;
      const int row = (n - ShareOfA::kCopies) * ShareOfB::kRowsAtOnce;
      copy_async<kStepOfB * sizeof(float)>(
          stage + Tile::kStageOfA + (ShareOfB::row() + row) * Tile::BN + ShareOfB::col(),
          b_ + static_cast<std::int64_t>(row) * row_of_b_, row < depth_ - ShareOfB::row());
    }
  }

  /// On to the next step.
  __device__ void advance() {
#pragma unroll
    for (int n = 0; n < ShareOfA::kRows; ++n) a_[n] += Tile::BK;
    b_ += static_cast<std::int64_t>(Tile::BK) * row_of_b_;
    depth_ -= Tile::BK;
  }

 private:
  const float*
      a_[ShareOfA::kRows];  // as many pointers as rows: to add to one would take two instructions a copy
  const float* b_;
  int row_of_b_;
  int depth_;  // from the tile's first k to the matrices' end
};

/// A thread's TM×TN of C.
template <typename Tile>
struct Sums {
  float of[Tile::TN][Tile::TM] = {};

  /// Row i, columns j to j + 3. A store of 16 bytes takes four neighbouring registers. Were those the sums
  /// themselves, their places would be bound, and the operands of half of all FFMAs would meet in one of the
  /// two banks. So they are multiplied by alpha on the way, once a tile, also where it is 1.
  __device__ float4 four(int i, int j, float alpha) const {
    return make_float4(of[j][i] * alpha, of[j + 1][i] * alpha, of[j + 2][i] * alpha, of[j + 3][i] * alpha);
  }
};

/// A thread's place in its block's tile.
template <typename Tile>
struct ThreadPlace {
  int slice = threadIdx.x / Tile::kSliceThreads;
  int warp = threadIdx.x % Tile::kSliceThreads / Tile::kWarp;
  int lane = threadIdx.x % Tile::kWarp;
  /// The thread's rows and columns are fours; from one to the next it is kLanesDown or kLanesAcross fours.
  int row = warp / (Tile::BN / Tile::WN) * Tile::WM + lane / Tile::kLanesAcross * kVector;
  int col = warp % (Tile::BN / Tile::WN) * Tile::WN + lane % Tile::kLanesAcross * kVector;
};

/// sums = the product of `steps` steps of K, this slice's share of it.
template <typename Tile, bool kFours>
__device__ void multiply_steps(Sums<Tile>& sums, TileSource<Tile, kFours>& source,
                               const ThreadPlace<Tile>& place, int steps) {
  float* const stages = dynamic_shared();
  const float* As = stages + place.slice * Tile::kDepth * Tile::kRowOfAs + place.row;
  const float* Bs = stages + Tile::kStageOfA + place.slice * Tile::kDepth * Tile::BN + place.col;

  // the thread's rows of A and columns of B, this step of k and the next
  alignas(16) float a[2][Tile::TM];
  alignas(16) float b[2][Tile::TN];
  const auto load = [&](int to, int offset, int k) {
    load_fragment<Tile::TM, Tile::kLanesDown * kVector>(a[to], As + offset + k * Tile::kRowOfAs);
    load_fragment<Tile::TN, Tile::kLanesAcross * kVector>(b[to], Bs + offset + k * Tile::BN);
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

/// Four neighbours of C, at a column that is a multiple of four, as far as they lie inside.
__device__ inline void store_into_c(const PipelinedArguments& arguments, int row, int col, float4 four) {
  if (arguments.c_in_fours) {
    store_four<true>(arguments.C, row, col, arguments.M, arguments.N, &four.x);
  } else {
    store_four<false>(arguments.C, row, col, arguments.M, arguments.N, &four.x);
  }
}

/// Where a tile's sums go: into C, or, as one part of several, into a slot for add_partials.
struct Destination {
  const PipelinedArguments& arguments;
  float* slot;  ///< nullptr: C
  int tile_row;
  int tile_col;

  /// Four neighbours of the tile, at a multiple of four.
  template <typename Tile>
  __device__ void store(int row, int col, float4 four) const {
    if (slot != nullptr) {
      store_four<true>(slot, row, col, Tile::BM, Tile::BN, &four.x);
    } else {
      store_into_c(arguments, tile_row + row, tile_col + col, four);
    }
  }
};

/// Stores a tile whose sums one slice has.
template <typename Tile>
__device__ void store_sums(const Sums<Tile>& sums, const ThreadPlace<Tile>& place, const Destination& to) {
#pragma unroll
  for (int i = 0; i < Tile::TM; ++i) {
    const int row = place.row + i / kVector * kVector * Tile::kLanesDown + i % kVector;
#pragma unroll
    for (int j = 0; j < Tile::TN; j += kVector) {
      to.store<Tile>(row, place.col + j * Tile::kLanesAcross, sums.four(i, j, to.arguments.alpha));
    }
  }
}

/// Adds the slices' sums, in order, and stores them. They meet in shared memory, the upper half of every
/// warp's rows first and then the lower, where all threads add and store an equal share.
template <typename Tile>
__device__ void add_slices(const Sums<Tile>& sums, const ThreadPlace<Tile>& place, const Destination& to) {
  constexpr int kHalf = Tile::WM / 2;
  constexpr int kFours = Tile::BM / 2 * Tile::BN / kVector;
  constexpr int kFoursAcross = Tile::BN / kVector;
  float4* const all = reinterpret_cast<float4*>(dynamic_shared());  // the stages have been read by all
  const int first = place.row / Tile::WM * kHalf + place.row % Tile::WM;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int n = 0; n < Tile::TM / 2; ++n) {
      const int row = first + n / kVector * kVector * Tile::kLanesDown + n % kVector;
#pragma unroll
      for (int j = 0; j < Tile::TN; j += kVector) {
        const int col = place.col + j * Tile::kLanesAcross;
        all[place.slice * kFours + row * kFoursAcross + col / kVector] =
            sums.four(half * (Tile::TM / 2) + n, j, to.arguments.alpha);
      }
    }
    __syncthreads();
#pragma unroll
    for (int four = threadIdx.x; four < kFours; four += Tile::kThreads) {
      float4 sum = all[four];
#pragma unroll
      for (int slice = 1; slice < Tile::kSlices; ++slice) {
        const float4 other = all[slice * kFours + four];
        sum.x += other.x;
        sum.y += other.y;
        sum.z += other.z;
        sum.w += other.w;
      }
      const int of_half = four / kFoursAcross;
      const int row = of_half / kHalf * Tile::WM + half * kHalf + of_half % kHalf;
      to.store<Tile>(row, four % kFoursAcross * kVector, sum);
    }
    __syncthreads();  // before the other half's sums, or the next tile's copies
  }
}

/// C = alpha·A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read; tiles that
/// several blocks share are left to add_partials. kFours: every row of B starts at a multiple of 16 bytes.
template <typename Tile, bool kFours>
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
    TileSource<Tile, kFours> source(arguments, from.row * Tile::BM, from.col * Tile::BN,
                                    first_step * Tile::BK);
    Sums<Tile> sums;
    multiply_steps<Tile, kFours>(sums, source, place, steps);

    asm volatile(""
                 : "+r"(tile));  // found anew, so that the steps above need not keep its place in registers
    const TilePlace at = place_of(schedule, tile);
    const bool alone = steps == schedule.steps;
    const std::int64_t slot = partial_slot(split_block, first_step == 0);
    const Destination to{arguments, alone ? nullptr : arguments.partials + slot * (Tile::BM * Tile::BN),
                         at.row * Tile::BM, at.col * Tile::BN};
    if constexpr (Tile::kSlices > 1) {
      add_slices<Tile>(sums, place, to);
    } else {
      store_sums<Tile>(sums, place, to);
    }
    steps_left -= steps;
    first_step = 0;
    ++tile;
  }
}

}  // namespace gemmlab::gpu
