#pragma once

// What the products by wgmma and by mma.sync have in common: the order of tiles, and how a tile of
// C is written.

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/gemm/tensor/operand_scan.h"
#include "gpu/gemm/tile_walk.h"

namespace gemmlab::gpu::parts {

/// C and the scales that its sums carry.
struct Output {
  const int* scales_of_rows;  // powers of two: of A's rows
  const int* scales_of_cols;  // and of B's columns
  float* C;
  int M;
  int N;
  int ldc;
  float alpha;
  float beta;  // with 0 C is not read
};

/// The tiles of C, walked in groups of kGroup rows.
struct TileGrid {
  static constexpr int kGroup = 8;
  int down;
  int across;

  __host__ __device__ int count() const { return down * across; }

  __device__ TilePlace place(int tile) const { return grouped_place<int>(tile, kGroup, down, across); }
};

/// Undoes the scaling of sums in one row, and writes alpha times those that lie inside C, two neighbours
/// at a time.
class RowOfC {
 public:
  __device__ RowOfC(const Output& output, int row)
      : to_(output.C + static_cast<std::int64_t>(row) * output.ldc),
        scales_of_cols_(output.scales_of_cols),
        N_(output.N),
        scale_(output.scales_of_rows[row]),
        alpha_(output.alpha),
        beta_(output.beta),
        pairs_(output.N % 2 == 0 && output.ldc % 2 == 0 &&
               reinterpret_cast<std::uintptr_t>(output.C) % sizeof(float2) == 0) {}

  /// beta times columns col, which is even, and col + 1 as they are before; zeros outside. For all of a row
  /// before any is stored: a read behind a store waits for it.
  __device__ float2 read(int col) const {
    if (beta_ == 0 || col >= N_) return make_float2(0, 0);
    if (pairs_) {
      const float2 pair = *reinterpret_cast<const float2*>(to_ + col);
      return make_float2(beta_ * pair.x, beta_ * pair.y);
    }
    return make_float2(beta_ * to_[col], col + 1 < N_ ? beta_ * to_[col + 1] : 0);
  }

  /// Columns col and col + 1, onto what read() gave. False where both lie outside, as do all behind them.
  __device__ bool store(int col, float left, float right, float2 before) const {
    if (col >= N_) return false;
    left = scaled(left, -scale_ - scales_of_cols_[col]);
    if (col + 1 < N_) right = scaled(right, -scale_ - scales_of_cols_[col + 1]);
    put(col, left, right, before);
    return true;
  }

  /// What columns col, inside C, and col + 1 were scaled by together with this row.
  __device__ int2 scales(int col) const {
    return make_int2(scale_ + scales_of_cols_[col], col + 1 < N_ ? scale_ + scales_of_cols_[col + 1] : 0);
  }

  /// store() of what is not scaled, inside C.
  __device__ void put(int col, float left, float right, float2 before) const {
    left = alpha_ * left + before.x;
    right = alpha_ * right + before.y;
    if (pairs_) {
      *reinterpret_cast<float2*>(to_ + col) = make_float2(left, right);
    } else {
      to_[col] = left;
      if (col + 1 < N_) to_[col + 1] = right;
    }
  }

 private:
  float* to_;
  const int* scales_of_cols_;
  int N_;
  int scale_;
  float alpha_;
  float beta_;
  bool pairs_;
};

}  // namespace gemmlab::gpu::parts
