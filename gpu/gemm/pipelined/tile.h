#pragma once

// What a block of gpu.pipelined computes: its arguments, its tile, and a thread's part of it. For .cu files.

#include "gpu/gemm/pipelined/schedule.h"
#include "gpu/gemm/register_tile.h"

namespace gemmlab::gpu {

struct PipelinedArguments {
  const float* A;
  const float* B;
  float* C;
  float* partials;  ///< BM×BN sums per slot, for tiles that several blocks share
  int M;
  int N;
  int K;
  int row_of_b;    ///< floats from one row of B to the next
  bool c_aligned;  ///< every row of C starts at a multiple of 16 bytes
  Schedule schedule;
  float alpha = 1;  ///< what sums are multiplied by, unknown to the compiler: see Sums::four
  // behind the others: where they stand changes what ptxas makes of the loop, and these were added last
  int row_of_a = 0;   ///< floats from one row of A to the next
  int cols_of_b = 0;  ///< floats of a row of B that may be read: N, or more where B was copied
};

/// BM×BN: a block's tile of C, in steps of BK; WM×WN a warp's, TM×TN per thread's. SLICES groups of warps share
/// a step's k and add up at the end. STAGES tiles of A and B are in shared memory, from 3. MIN_BLOCKS per SM.
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
  static constexpr int kRowOfBs = BN;
  static constexpr int kStageOfA = BK * kRowOfAs;
  static constexpr int kStage = kStageOfA + BK * kRowOfBs;
  static constexpr int kDepth = BK / kSlices;  // steps of k that a slice takes of a stage
  static constexpr int kStagesBytes = kStages * kStage * static_cast<int>(sizeof(float));
  static constexpr int kPieces = kSlices > 1 ? 2 : TM / kVector;  // in which slices are added: see add_slices
  static constexpr int kPieceBytes = kSlices * BM / kPieces * BN * static_cast<int>(sizeof(float));
  static constexpr int kSharedBytes = kStagesBytes > kPieceBytes ? kStagesBytes : kPieceBytes;
  static_assert(TM % (kPieces * kVector) == 0, "a piece has whole fours of each thread's rows");
  static_assert(TM % kVector == 0 && TN % kVector == 0, "fragments are read in fours");
  static_assert(kDepth % 2 == 0, "the two fragments change places an even number of times");
  static_assert(kStages >= 3, "one stage is read, one is complete, one is being filled");
};

/// A thread's TM×TN of C.
template <typename Tile>
struct Sums {
  float of[Tile::TN][Tile::TM] = {};

  /// Row i, columns j to j + 3. A store of 16 bytes takes four neighbouring registers. Were those the sums
  /// themselves, their places would be bound, and the operands of half of all FFMAs would meet in one of the
  /// two banks. So they are multiplied by alpha before they are stored, once per tile, also where it is 1.
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

}  // namespace gemmlab::gpu
