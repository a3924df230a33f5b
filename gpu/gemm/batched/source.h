#pragma once

// How tiles of one product's A and B come into shared memory, for each way in which they may be stored. For .cu files.

#include "gpu/gemm/batched/arguments.h"
#include "gpu/gemm/pipelined/copy.h"

namespace gemmlab::gpu {

/// How a matrix lies whose tile is to be in shared memory with K running down.
enum class Lies {
  kAlongK,   ///< K runs along its rows: copied by 4 bytes, turned on the way
  kDownBy4,  ///< K runs down its columns
  kDownBy16  ///< likewise; its rows start at multiples of 16 bytes and consist of whole ones
};

/// A tile of LENGTH rows of op(A), or columns of op(B), by BK steps of K: element (k, i) goes to k·APART + i. As in
/// TileSource, what lies beyond the matrix is copied from its last rows or columns, and beyond K zeros are written.
template <Lies kLies, int LENGTH, int BK, int APART, int THREADS>
class OperandSource;

template <int LENGTH, int BK, int APART, int THREADS>
class OperandSource<Lies::kAlongK, LENGTH, BK, APART, THREADS> {
 public:
  using Share = TileShare<LENGTH, BK, THREADS, 1, 8>;
  static constexpr int kCopies = Share::kCopies;

  /// `first`: the tile's first row of the matrix, which has `length`.
  __device__ OperandSource(const float* matrix, int row_length, int first, int length) {
#pragma unroll
    for (int n = 0; n < Share::kRows; ++n) {
      const int from = min(first + Share::row() + n * Share::kRowsAtOnce, length - 1);
      rows_[n] = matrix + static_cast<std::int64_t>(from) * row_length + Share::col();
    }
  }
  /// Begins the `n`th of this thread's copies of a step's tile, of which `depth` steps of K exist.
  __device__ void copy(int n, float* tile, int depth) const {
    if (!Share::takes_part()) return;
    const int row = n / Share::kCols;
    const int k = n % Share::kCols * Share::kColsAtOnce;
    copy_async<sizeof(float)>(tile + (Share::col() + k) * APART + Share::row() + row * Share::kRowsAtOnce,
                              rows_[row] + k, Share::col() + k < depth);
  }
  __device__ void advance() {
#pragma unroll
    for (int n = 0; n < Share::kRows; ++n) rows_[n] += BK;
  }

 private:
  const float* rows_[Share::kRows];
};

/// K runs down the columns, STEP floats per copy.
template <int STEP, int LENGTH, int BK, int APART, int THREADS>
class SourceDownK {
 public:
  using Share = TileShare<BK, LENGTH, THREADS, STEP, LENGTH / STEP>;
  static constexpr int kCopies = Share::kCopies;

  /// `first`: the tile's first column of the matrix, which has `length`.
  __device__ SourceDownK(const float* matrix, int row_length, int first, int length)
      : at_(matrix + static_cast<std::int64_t>(Share::row()) * row_length +
            min(first + Share::col(), length - STEP)),
        row_length_(row_length) {}
  __device__ void copy(int n, float* tile, int depth) const {
    if (!Share::takes_part()) return;
    const int k = n * Share::kRowsAtOnce;
    copy_async<STEP * sizeof(float)>(tile + (Share::row() + k) * APART + Share::col(),
                                     at_ + static_cast<std::int64_t>(k) * row_length_,
                                     k < depth - Share::row());
  }
  __device__ void advance() { at_ += static_cast<std::int64_t>(BK) * row_length_; }

 private:
  const float* at_;
  int row_length_;
};

template <int LENGTH, int BK, int APART, int THREADS>
class OperandSource<Lies::kDownBy4, LENGTH, BK, APART, THREADS>
    : public SourceDownK<1, LENGTH, BK, APART, THREADS> {
  using SourceDownK<1, LENGTH, BK, APART, THREADS>::SourceDownK;
};
template <int LENGTH, int BK, int APART, int THREADS>
class OperandSource<Lies::kDownBy16, LENGTH, BK, APART, THREADS>
    : public SourceDownK<kVector, LENGTH, BK, APART, THREADS> {
  using SourceDownK<kVector, LENGTH, BK, APART, THREADS>::SourceDownK;
};

/// Both tiles, in order of k: what multiply_steps() asks for.
template <typename Tile, Lies kA, Lies kB>
class BatchedSource {
  using SourceOfA = OperandSource<kA, Tile::BM, Tile::BK, Tile::kRowOfAs, Tile::kThreads>;
  using SourceOfB = OperandSource<kB, Tile::BN, Tile::BK, Tile::kRowOfBs, Tile::kThreads>;

 public:
  static constexpr int kCopies = SourceOfA::kCopies + SourceOfB::kCopies;

  __device__ BatchedSource(const BatchedArguments& arguments, unsigned product, int row, int col)
      : a_(arguments.A + product * arguments.stride_a, arguments.lda, row, arguments.M),
        b_(arguments.B + product * arguments.stride_b, arguments.ldb, col, arguments.N),
        depth_(arguments.K) {}
  __device__ void copy(int n, float* stage) const {
    if (n < SourceOfA::kCopies) {
      a_.copy(n, stage, depth_);
    } else {
      b_.copy(n - SourceOfA::kCopies, stage + Tile::kStageOfA, depth_);
    }
  }
  __device__ void advance() {
    a_.advance();
    b_.advance();
    depth_ -= Tile::BK;
  }

 private:
  SourceOfA a_;
  SourceOfB b_;
  int depth_;  // from the tile's first k to the matrices' end
};

}  // namespace gemmlab::gpu
