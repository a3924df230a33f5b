#pragma once

// How a tile's sums come into C, or into the slots of partial sums. For .cu files.

#include "gpu/gemm/async_copy.h"
#include "gpu/gemm/pipelined/tile.h"

namespace gemmlab::gpu {

/// Four neighbours of C, at a column that is a multiple of four, as far as they lie inside.
__device__ inline void store_into_c(const PipelinedArguments& arguments, int row, int col, float4 four) {
  if (arguments.c_aligned) {
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
template <typename Tile, typename To>
__device__ void store_sums(const Sums<Tile>& sums, const ThreadPlace<Tile>& place, const To& to) {
#pragma unroll
  for (int i = 0; i < Tile::TM; ++i) {
    const int row = place.row + i / kVector * kVector * Tile::kLanesDown + i % kVector;
#pragma unroll
    for (int j = 0; j < Tile::TN; j += kVector) {
      to.template store<Tile>(row, place.col + j * Tile::kLanesAcross, sums.four(i, j, to.arguments.alpha));
    }
  }
}

/// Adds the slices' sums, in order, and stores them. They meet in shared memory, the upper half of every
/// warp's rows first and then the lower, where all threads add and store an equal share.
template <typename Tile, typename To>
__device__ void add_slices(const Sums<Tile>& sums, const ThreadPlace<Tile>& place, const To& to) {
  constexpr int kHalf = Tile::WM / 2;
  constexpr int kVectors = Tile::BM / 2 * Tile::BN / kVector;
  constexpr int kVectorsAcross = Tile::BN / kVector;
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
        all[place.slice * kVectors + row * kVectorsAcross + col / kVector] =
            sums.four(half * (Tile::TM / 2) + n, j, to.arguments.alpha);
      }
    }
    __syncthreads();
#pragma unroll
    for (int four = threadIdx.x; four < kVectors; four += Tile::kThreads) {
      float4 sum = all[four];
#pragma unroll
      for (int slice = 1; slice < Tile::kSlices; ++slice) {
        const float4 other = all[slice * kVectors + four];
        sum.x += other.x;
        sum.y += other.y;
        sum.z += other.z;
        sum.w += other.w;
      }
      const int of_half = four / kVectorsAcross;
      const int row = of_half / kHalf * Tile::WM + half * kHalf + of_half % kHalf;
      to.template store<Tile>(row, four % kVectorsAcross * kVector, sum);
    }
    __syncthreads();  // before the other half's sums, or the next tile's copies
  }
}

}  // namespace gemmlab::gpu
