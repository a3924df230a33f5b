#pragma once

// The one kernel behind gpu.pipelined, for every tile. For .cu files.
//
// On a card whose FP32 units take one instruction a cycle and sub-partition, whatever is not an FFMA costs
// one. So a thread computes TM×TN = 16×8 elements where the shape allows; both tiles come by cp.async, A as
// it lies (16 bytes along k, not turned), and a thread reads a row of A for four steps of k at a time: as few
// reads as from a transposed tile. Fragments are read one row of A and four steps of k ahead of their use,
// across the barrier between two stages, too.

#include "gpu/async_copy.h"
#include "gpu/pipelined/schedule.h"
#include "gpu/register_tile.h"

namespace gemmlab::gpu {

struct PipelinedArguments {
  const float* A;
  const float* B;
  float* C;
  float* partials;  ///< BM×BN sums a slot, for tiles that several blocks share
  int M;
  int N;
  int K;
  Schedule schedule;
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
  static constexpr int kRowOfAs = BK + kVector;  // eight neighbouring rows are then read from 32 banks
  static constexpr int kStageOfA = BM * kRowOfAs;
  static constexpr int kStage = kStageOfA + BK * BN;
  static constexpr int kFours = BK / kVector / kSlices;  // fours of k that a slice takes of a step
  static constexpr int kStagesBytes = kStages * kStage * static_cast<int>(sizeof(float));
  static constexpr int kSlicesBytes = (kSlices - 1) * BM * BN * static_cast<int>(sizeof(float));
  static constexpr int kSharedBytes = kStagesBytes > kSlicesBytes ? kStagesBytes : kSlicesBytes;
  static_assert(kLanesDown * kLanesAcross == kWarp, "the lanes cover the warp's tile once");
  static_assert(kLanesDown <= 8, "more rows would meet in a bank");
  static_assert(TM % 2 == 0, "the two rows of A change places an even number of times");
  static_assert(kStages >= 3, "one stage is read, one is complete, one is being filled");
};

/// Copies of one of the two tiles by all threads: ROWS×COLS, `kStep` floats a copy.
template <int ROWS, int COLS, int THREADS, int STEP>
struct TileCopies {
  static constexpr int kAcross = COLS / STEP;
  static constexpr int kRowsAtOnce = THREADS / kAcross;
  static constexpr bool kAllThreads = kRowsAtOnce <= ROWS;
  static constexpr int kCount = kAllThreads ? ROWS / kRowsAtOnce : 1;
  static_assert(THREADS % kAcross == 0 && (!kAllThreads || ROWS % kRowsAtOnce == 0),
                "equal shares of copying");
  __device__ static int row() { return threadIdx.x / kAcross; }
  __device__ static int col() { return threadIdx.x % kAcross * STEP; }
  __device__ static bool takes_part() { return kAllThreads || row() < ROWS; }
};

/// The way of A's and B's tiles into the stages, in order of k. Every copy asks whether it lies inside: a
/// second path without the question saves 15 of 2,200 instructions a step, and makes ptxas spill.
template <typename Tile, bool kAligned>
class TileSource {
 public:
  static constexpr int kStep = kAligned ? kVector : 1;
  using CopiesOfA = TileCopies<Tile::BM, Tile::BK, Tile::kThreads, kStep>;
  using CopiesOfB = TileCopies<Tile::BK, Tile::BN, Tile::kThreads, kStep>;

  __device__ TileSource(const PipelinedArguments& arguments, int row, int col, int k0)
      : arguments_(arguments),
        rows_(arguments.M - row),
        cols_(arguments.N - col),
        depth_(arguments.K - k0),
        a_(arguments.A + static_cast<std::int64_t>(row + CopiesOfA::row()) * arguments.K + k0 +
           CopiesOfA::col()),
        b_(arguments.B + static_cast<std::int64_t>(k0 + CopiesOfB::row()) * arguments.N + col +
           CopiesOfB::col()) {}

  /// Begins to copy the next step's tiles; zeros beyond the matrices' ends.
  __device__ void copy_next(float* stage) {
    if (CopiesOfA::takes_part()) {
      float* to = stage + CopiesOfA::row() * Tile::kRowOfAs + CopiesOfA::col();
      const float* from = a_;
#pragma unroll
      for (int i = 0; i < CopiesOfA::kCount; ++i) {
        constexpr int kRows = CopiesOfA::kRowsAtOnce;
        const bool inside = i * kRows < rows_ - CopiesOfA::row() && CopiesOfA::col() < depth_;
        copy_async<4 * kStep>(to + i * kRows * Tile::kRowOfAs, from, inside);
        from += static_cast<std::int64_t>(kRows) * arguments_.K;
      }
    }
    if (CopiesOfB::takes_part()) {
      float* to = stage + Tile::kStageOfA + CopiesOfB::row() * Tile::BN + CopiesOfB::col();
      const float* from = b_;
#pragma unroll
      for (int i = 0; i < CopiesOfB::kCount; ++i) {
        constexpr int kRows = CopiesOfB::kRowsAtOnce;
        const bool inside = i * kRows < depth_ - CopiesOfB::row() && CopiesOfB::col() < cols_;
        copy_async<4 * kStep>(to + i * kRows * Tile::BN, from, inside);
        from += static_cast<std::int64_t>(kRows) * arguments_.N;
      }
    }
    a_ += Tile::BK;
    b_ += static_cast<std::int64_t>(Tile::BK) * arguments_.N;
    depth_ -= Tile::BK;
  }

 private:
  const PipelinedArguments& arguments_;
  int rows_;  // from the tile's corner to the matrices' ends
  int cols_;
  int depth_;
  const float* a_;
  const float* b_;
};

/// A thread's place in its block's tile.
template <typename Tile>
struct ThreadPlace {
  int slice = threadIdx.x / Tile::kSliceThreads;
  int warp = threadIdx.x % Tile::kSliceThreads / Tile::kWarp;
  int lane = threadIdx.x % Tile::kWarp;
  /// The thread's rows are kLanesDown apart, its columns fours, kLanesAcross fours apart.
  int row = warp / (Tile::BN / Tile::WN) * Tile::WM + lane / Tile::kLanesAcross;
  int col = warp % (Tile::BN / Tile::WN) * Tile::WN + lane % Tile::kLanesAcross * kVector;
};

/// sums = the product of `steps` steps of K, this slice's share of it.
template <typename Tile, bool kAligned>
__device__ void multiply_steps(float (&sums)[Tile::TM][Tile::TN], TileSource<Tile, kAligned>& source,
                               const ThreadPlace<Tile>& place, int steps) {
  float* const stages = dynamic_shared();
  const float* As = stages + place.row * Tile::kRowOfAs + place.slice * Tile::kFours * kVector;
  const float* Bs = stages + Tile::kStageOfA + place.slice * Tile::kFours * kVector * Tile::BN + place.col;

  alignas(16) float a[2][kVector];         // rows of A, four steps of k: one in use, the next on its way
  alignas(16) float b[kVector][Tile::TN];  // the thread's columns of B, the same four steps
  const auto load_a = [&](float(&to)[kVector], int offset, int four, int i) {
    load_fragment<kVector, 0>(to, As + offset + i * Tile::kLanesDown * Tile::kRowOfAs + four * kVector);
  };
  const auto load_b = [&](int k, int offset, int four) {
    load_fragment<Tile::TN, Tile::kLanesAcross * kVector>(b[k],
                                                          Bs + offset + (four * kVector + k) * Tile::BN);
  };

  // a group of copies for each step, also for those behind the last, so that the waits always count the same
#pragma unroll
  for (int stage = 0; stage < Tile::kStages - 1; ++stage) {
    if (stage < steps) source.copy_next(stages + stage * Tile::kStage);
    commit_copies();
  }
  wait_for_copies<Tile::kStages - 2>();
  __syncthreads();
  load_a(a[0], 0, 0, 0);
#pragma unroll
  for (int k = 0; k < kVector; ++k) load_b(k, 0, 0);

  constexpr int kLastStage = (Tile::kStages - 1) * Tile::kStage;
  int offset = 0;  // of the stage that is read
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int four = 0; four < Tile::kFours; ++four) {
      const int current = offset;
      const bool last = four == Tile::kFours - 1;
      if (last) {
        wait_for_copies<Tile::kStages - 3>();
        // the next stage is there for all, and the one before this has been read by all
        __syncthreads();
        if (step + Tile::kStages - 1 < steps) {
          source.copy_next(stages + (offset == 0 ? kLastStage : offset - Tile::kStage));
        }
        commit_copies();
        offset = offset == kLastStage ? 0 : offset + Tile::kStage;
      }
      // behind the last step the next stage holds nothing of use, and what is read of it is not used
      const int next = last ? 0 : four + 1;
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) {
        if (i + 1 < Tile::TM) {
          load_a(a[(i + 1) % 2], current, four, i + 1);
        } else {
          load_a(a[0], offset, next, 0);
        }
#pragma unroll
        for (int k = 0; k < kVector; ++k) {
#pragma unroll
          for (int j = 0; j < Tile::TN; ++j) sums[i][j] += a[i % 2][k] * b[k][j];
          // the last row was the last to use these: the rows of the other k hide the reading of the next
          if (i + 1 == Tile::TM) load_b(k, offset, next);
        }
      }
    }
  }
  wait_for_copies<0>();
  __syncthreads();
}

/// Adds the slices' sums, in order, into those of the first slice.
template <typename Tile>
__device__ void add_slices(float (&sums)[Tile::TM][Tile::TN], int slice) {
  if constexpr (Tile::kSlices > 1) {
    float* const others = dynamic_shared();  // the stages have been read by all
    const int thread = threadIdx.x % Tile::kSliceThreads;
    const auto four_of = [&](int of_slice, int i, int j) {
      const int fours = i * (Tile::TN / kVector) + j / kVector;
      return reinterpret_cast<float4*>(others + (of_slice - 1) * Tile::BM * Tile::BN) +
             fours * Tile::kSliceThreads + thread;
    };
#pragma unroll
    for (int i = 0; i < Tile::TM; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::TN; j += kVector) {
        const float* four = &sums[i][j];
        if (slice > 0) *four_of(slice, i, j) = make_float4(four[0], four[1], four[2], four[3]);
      }
    }
    __syncthreads();
    if (slice == 0) {
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::TN; j += kVector) {
#pragma unroll
          for (int other = 1; other < Tile::kSlices; ++other) {
            const float4 four = *four_of(other, i, j);
            sums[i][j] += four.x;
            sums[i][j + 1] += four.y;
            sums[i][j + 2] += four.z;
            sums[i][j + 3] += four.w;
          }
        }
      }
    }
    __syncthreads();  // before the next tile's copies
  }
}

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read; tiles that several
/// blocks share are left to add_partials. kAligned: every row of A, B and C starts at a multiple of 16 bytes.
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
    float sums[Tile::TM][Tile::TN] = {};
    multiply_steps<Tile, kAligned>(sums, source, place, steps);
    add_slices<Tile>(sums, place.slice);

    const bool alone = steps == schedule.steps;
    if (place.slice == 0) {
      asm volatile("" : "+r"(tile));  // found anew, so that the steps above need not keep it in registers
      const TilePlace to = place_of(schedule, tile);
      const int tile_row = to.row * Tile::BM;
      const int tile_col = to.col * Tile::BN;
      float* slot =
          arguments.partials +
          static_cast<std::int64_t>(partial_slot(split_block, first_step == 0)) * (Tile::BM * Tile::BN);
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) {
        const int row = place.row + i * Tile::kLanesDown;
#pragma unroll
        for (int j = 0; j < Tile::TN; j += kVector) {
          const int col = place.col + j * Tile::kLanesAcross;
          if (alone) {
            store_four<kAligned>(arguments.C, tile_row + row, tile_col + col, arguments.M, arguments.N,
                                 &sums[i][j]);
          } else {
            store_four<true>(slot, row, col, Tile::BM, Tile::BN, &sums[i][j]);
          }
        }
      }
    }
    steps_left -= steps;
    first_step = 0;
    ++tile;
  }
}

}  // namespace gemmlab::gpu
