#pragma once

// Of split_digits.cu: operands cut into pieces, and how a block reads one, finds its largest magnitudes and
// turns it.

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/gemm/tensor/findings.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tile_walk.h"

namespace gemmlab::gpu::parts::pieces {

// A piece is kRows rows (of A, or columns of B) by kDepth of K.
constexpr int kThreads = 256;
constexpr int kRows = 64;
constexpr int kDepth = kSegmentOfDigits;
constexpr int kGroup = 4;  // strips of kRows whose pieces take turns: 1 KiB of a stored row where K runs down
constexpr unsigned kWholeWarp = 0xffffffffu;

/// An operand as rows along K: rows of op(A), columns of op(B).
struct Rows {
  const float* matrix;
  int stride;  ///< floats from one stored row to the next
  int rows;
  int K;
  int pitch;  ///< bytes of a row of digits
  bool turned;
  unsigned* largest;
  int* scales;
  unsigned* sizes;    ///< sums of magnitudes, over 2¹⁵
  unsigned* scanned;  ///< pieces of each strip
  std::uint8_t* digits;

  __host__ __device__ int strips() const { return (rows + kRows - 1) / kRows; }
  __host__ __device__ int pieces_along() const { return (K + kDepth - 1) / kDepth; }
  __host__ __device__ int pieces() const { return strips() * pieces_along(); }
};

struct Piece {
  int strip;
  int row0;
  int k0;
};

__device__ inline Piece piece_of(const Rows& operand, int index) {
  const TilePlace place = grouped_place<int>(index, kGroup, operand.strips(), operand.pieces_along());
  return {place.row, place.row * kRows, place.col * kDepth};
}

__device__ inline unsigned magnitude(float value) {
  return __float_as_uint(value) & 0x7fffffffu;
}

__device__ inline uint4 larger(uint4 most, float4 value) {
  return make_uint4(max(most.x, magnitude(value.x)), max(most.y, magnitude(value.y)),
                    max(most.z, magnitude(value.z)), max(most.w, magnitude(value.w)));
}

__device__ inline unsigned most_of_warp(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kWholeWarp, value);
#else
  for (int step = kWarp / 2; step > 0; step /= 2)
    value = max(value, __shfl_xor_sync(kWholeWarp, value, step));
  return value;
#endif
}

__device__ inline unsigned sum_of_warp(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kWholeWarp, value);
#else
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kWholeWarp, value, step);
  return value;
#endif
}

/// A thread's share of a piece.
constexpr int kVectors = kRows * kDepth / kVector / kThreads;
using Share = float4[kVectors];

// ---- rows that are stored as such: a warp reads kDepth of one

constexpr int kWarps = kThreads / kWarp;
static_assert(kDepth == kWarp * kVector && kVectors * kWarps == kRows,
              "a warp reads a row of a piece at once");

__device__ inline int row_along(const Piece& piece, int i) {
  return piece.row0 + i * kWarps + threadIdx.x / kWarp;
}

__device__ inline void load_along(Share& values, const Rows& A, const Piece& piece) {
  const bool whole = whole_vectors(A.matrix, A.K, A.stride);
  const int k = piece.k0 + threadIdx.x % kWarp * kVector;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int row = row_along(piece, i);
    values[i] = row < A.rows ? load4(A.matrix + static_cast<std::int64_t>(row) * A.stride, k, A.K, whole)
                             : make_float4(0, 0, 0, 0);
  }
}

__device__ inline void scan_along(const Share& values, const Rows& A, const Piece& piece) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const uint4 four = larger(make_uint4(0, 0, 0, 0), values[i]);
    const unsigned most = most_of_warp(max(max(four.x, four.y), max(four.z, four.w)));
    const int row = row_along(piece, i);
    if (threadIdx.x % kWarp == 0 && row < A.rows) atomicMax(&A.largest[row], most);
  }
}

// ---- rows that are stored as columns: sixteen lanes read kRows of them at one k

constexpr int kLanesAcross = kRows / kVector;
constexpr int kAtOnce = kThreads / kLanesAcross;
constexpr int kTilePitch = kRows + 1;  // neighbours down a column of the tile lie in different banks

using Tile = float[kDepth][kTilePitch];

__device__ inline void load_down(Share& values, const Rows& B, const Piece& piece) {
  const bool whole = whole_vectors(B.matrix, B.rows, B.stride);
  const int col = piece.row0 + threadIdx.x % kLanesAcross * kVector;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int k = piece.k0 + i * kAtOnce + threadIdx.x / kLanesAcross;
    values[i] = k < B.K ? load4(B.matrix + static_cast<std::int64_t>(k) * B.stride, col, B.rows, whole)
                        : make_float4(0, 0, 0, 0);
  }
}

/// Into `of_column`, which is zero before.
__device__ inline void scan_down(const Share& values, unsigned (&of_column)[kRows]) {
  uint4 most = make_uint4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < kVectors; ++i) most = larger(most, values[i]);
  unsigned* const own = &of_column[threadIdx.x % kLanesAcross * kVector];
  atomicMax(own, most.x);
  atomicMax(own + 1, most.y);
  atomicMax(own + 2, most.z);
  atomicMax(own + 3, most.w);
}

// A piece is turned through a tile: kAtOnce rows at a time, sixteen lanes get four neighbours along K each, of
// the first half of the piece's depth and then of the second.

__device__ inline void to_tile(const Share& values, Tile& tile) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    float* const to = &tile[i * kAtOnce + threadIdx.x / kLanesAcross][threadIdx.x % kLanesAcross * kVector];
    to[0] = values[i].x;
    to[1] = values[i].y;
    to[2] = values[i].z;
    to[3] = values[i].w;
  }
}

__device__ inline void from_tile(Share& values, const Tile& tile) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int row = i / 2 * kAtOnce + threadIdx.x / kLanesAcross;
    const int k = i % 2 * kRows + threadIdx.x % kLanesAcross * kVector;
    values[i] = make_float4(tile[k][row], tile[k + 1][row], tile[k + 2][row], tile[k + 3][row]);
  }
}

}  // namespace gemmlab::gpu::parts::pieces
