#pragma once

// How tiles of A and B come into shared memory. For .cu files.

#include "gpu/gemm/async_copy.h"
#include "gpu/gemm/pipelined/tile.h"

namespace gemmlab::gpu {

/// All threads copy a ROWS×COLS tile, STEP adjacent floats per copy. ACROSS threads stand side by side in a
/// row, the others below; each thread moves right, then down.
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

/// Copies the tiles of A and B into the stages, in order of k. Rows and columns beyond C's edge are copied
/// from the last ones, for sums that nobody stores; beyond K zeros are written.
template <typename Tile, bool kAligned>
class TileSource {
 public:
  static constexpr int kStepOfB = kAligned ? kVector : 1;
  /// Per warp 32 bytes, a sector, of each of four rows of A: they are written to 32 banks.
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

  /// Moves on to the next step.
  __device__ void advance() {
#pragma unroll
    for (int n = 0; n < ShareOfA::kRows; ++n) a_[n] += Tile::BK;
    b_ += static_cast<std::int64_t>(Tile::BK) * row_of_b_;
    depth_ -= Tile::BK;
  }

 private:
  // one pointer per row: to add an offset to a single one would take two instructions per copy
  const float* a_[ShareOfA::kRows];
  const float* b_;
  int row_of_b_;
  int depth_;  // from the tile's first k to the matrices' end
};

}  // namespace gemmlab::gpu
