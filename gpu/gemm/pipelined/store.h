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

  /// Do fours lie at multiples of 16 bytes? Else neighbouring threads should store neighbouring floats: by fours they
  /// would write a quarter of each sector at a time.
  __device__ bool by_fours() const { return slot != nullptr || arguments.c_aligned; }

  /// One element of the tile, into C.
  __device__ void store_one(int row, int col, float sum) const {
    row += tile_row;
    col += tile_col;
    if (row < arguments.M && col < arguments.N)
      arguments.C[static_cast<std::int64_t>(row) * arguments.N + col] = sum;
  }

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

/// The slices' sums of a piece of the tile, that lies in shared memory slice by slice, added in order and stored.
/// `row_of(row)`: the tile's row that a piece's row is.
template <typename Tile, int kRows, typename To, typename RowOf>
__device__ void store_piece(const float* all, const To& to, RowOf row_of) {
  constexpr int kFloats = kRows * Tile::BN;
  // of several slices single floats are read with four times the instructions: at 1230×329×65 it took 0.8 us longer
  if (Tile::kSlices > 1 || to.by_fours()) {
#pragma unroll
    for (int i = threadIdx.x * kVector; i < kFloats; i += Tile::kThreads * kVector) {
      float4 sum = *reinterpret_cast<const float4*>(&all[i]);
#pragma unroll
      for (int slice = 1; slice < Tile::kSlices; ++slice) {
        const float4 other = *reinterpret_cast<const float4*>(&all[slice * kFloats + i]);
        sum.x += other.x;
        sum.y += other.y;
        sum.z += other.z;
        sum.w += other.w;
      }
      to.template store<Tile>(row_of(i / Tile::BN), i % Tile::BN, sum);
    }
  } else {
#pragma unroll 4
    for (int i = threadIdx.x; i < kFloats; i += Tile::kThreads) {
      float sum = all[i];
#pragma unroll
      for (int slice = 1; slice < Tile::kSlices; ++slice) sum += all[slice * kFloats + i];
      to.store_one(row_of(i / Tile::BN), i % Tile::BN, sum);
    }
  }
}

/// Adds the slices' sums and stores them. They meet in shared memory, piece by piece: some of every warp's rows, then
/// the next. There all threads add and store an equal share.
template <typename Tile, typename To>
__device__ void add_slices(const Sums<Tile>& sums, const ThreadPlace<Tile>& place, const To& to) {
  constexpr int kPieces = Tile::kPieces;
  constexpr int kOfWarp = Tile::WM / kPieces;  // rows of a piece
  constexpr int kRows = Tile::BM / kPieces;
  constexpr int kOfThread = Tile::TM / kPieces;
  float* const all = dynamic_shared();  // the stages have been read by all
  const int first = place.row / Tile::WM * kOfWarp + place.row % Tile::WM;
#pragma unroll
  for (int piece = 0; piece < kPieces; ++piece) {
#pragma unroll
    for (int n = 0; n < kOfThread; ++n) {
      const int row = first + n / kVector * kVector * Tile::kLanesDown + n % kVector;
#pragma unroll
      for (int j = 0; j < Tile::TN; j += kVector) {
        const int at = (place.slice * kRows + row) * Tile::BN + place.col + j * Tile::kLanesAcross;
        *reinterpret_cast<float4*>(&all[at]) = sums.four(piece * kOfThread + n, j, to.arguments.alpha);
      }
    }
    __syncthreads();
    store_piece<Tile, kRows>(all, to, [piece](int row) {
      return row / kOfWarp * Tile::WM + piece * kOfWarp + row % kOfWarp;
    });
    __syncthreads();  // before the next piece's sums, or the next tile's copies
  }
}

/// Stores a tile, whose sums one slice has or several.
template <typename Tile, typename To>
__device__ void store_tile(const Sums<Tile>& sums, const ThreadPlace<Tile>& place, const To& to) {
  if (Tile::kSlices > 1 || !to.by_fours()) {
    add_slices<Tile>(sums, place, to);
  } else {
    store_sums<Tile>(sums, place, to);
  }
}

}  // namespace gemmlab::gpu
