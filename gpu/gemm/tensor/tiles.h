#pragma once

// What the products by wgmma and by mma.sync have in common: the order of tiles, and how a tile of C is
// written.

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/gemm/tensor/findings.h"

namespace gemmlab::gpu::parts {

/// C and the scales that its sums carry.
struct Output {
  const int* scales;  // powers of two, of A's rows, then of B's columns
  float* C;
  int M;
  int N;
};

/// Tiles of C, kGroup rows of them side by side at a time, so that what they share of A and B stays in L2.
struct Tiles {
  static constexpr int kGroup = 8;
  int down;
  int across;

  __host__ __device__ int count() const { return down * across; }

  struct Place {
    int down;
    int across;
  };
  __device__ Place place(int tile) const {
    const int first = tile / (kGroup * across) * kGroup;
    const int height = min(kGroup, down - first);
    const int within = tile % (kGroup * across);
    return {first + within % height, within / height};
  }
};

/// Undoes the scaling of sums in one row, and writes those that lie inside C, two neighbours at a time.
class RowOfC {
 public:
  __device__ RowOfC(const Output& output, int row)
      : to_(output.C + static_cast<std::int64_t>(row) * output.N),
        scales_of_cols_(output.scales + output.M),
        N_(output.N),
        scale_(output.scales[row]),
        pairs_(output.N % 2 == 0 && reinterpret_cast<std::uintptr_t>(output.C) % sizeof(float2) == 0) {}

  /// Columns col, which is even, and col + 1. False where both lie outside, as do all behind them.
  __device__ bool store(int col, float left, float right) const {
    if (col >= N_) return false;
    left = scaled(left, -scale_ - scales_of_cols_[col]);
    if (col + 1 < N_) right = scaled(right, -scale_ - scales_of_cols_[col + 1]);
    if (pairs_) {
      *reinterpret_cast<float2*>(to_ + col) = make_float2(left, right);
    } else {
      to_[col] = left;
      if (col + 1 < N_) to_[col + 1] = right;
    }
    return true;
  }

 private:
  float* to_;
  const int* scales_of_cols_;
  int N_;
  int scale_;
  bool pairs_;
};

}  // namespace gemmlab::gpu::parts
