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

/// A piece of a tile in shared memory: some rows of every warp's, the next piece the next ones.
template <typename Tile>
struct Piece {
  static constexpr int kOfWarp = Tile::WM / Tile::kPieces;  // rows of a piece
  static constexpr int kRows = Tile::BM / Tile::kPieces;
  static constexpr int kFloats = kRows * Tile::BN;
  static constexpr int kOfThread = Tile::TM / Tile::kPieces;
  int number;

  /// The tile's row that a row of the piece is.
  __device__ int row_of_tile(int row) const {
    return row / kOfWarp * Tile::WM + number * kOfWarp + row % kOfWarp;
  }
};

/// The sum of all slices of four neighbours, in order.
template <typename Tile>
__device__ float4 sum_of_slices(const float* all, int i) {
  float4 sum = *reinterpret_cast<const float4*>(&all[i]);
#pragma unroll
  for (int slice = 1; slice < Tile::kSlices; ++slice) {
    const float4 other = *reinterpret_cast<const float4*>(&all[slice * Piece<Tile>::kFloats + i]);
    sum.x += other.x;
    sum.y += other.y;
    sum.z += other.z;
    sum.w += other.w;
  }
  return sum;
}

/// Stores a piece of one slice, a warp neighbouring floats of a row. The addresses of a thread's rows
/// differ by constants times C's stride.
template <typename Tile, typename To>
__device__ void store_single(const float* all, const Piece<Tile>& piece, const To& to) {
  using P = Piece<Tile>;
  constexpr int kAcross = Tile::BN < Tile::kWarp ? Tile::BN : Tile::kWarp;
  constexpr int kRowsAtOnce = Tile::kThreads / kAcross;
  static_assert(P::kOfWarp % kRowsAtOnce == 0 || kRowsAtOnce % P::kOfWarp == 0, "rows at constant distances");
  static_assert(P::kRows % kRowsAtOnce == 0 && Tile::BN % kAcross == 0, "every thread stores as many");
  const int row = threadIdx.x / kAcross;
  const int col = threadIdx.x % kAcross;
  const int first = piece.row_of_tile(row);
  const float* const from = &all[row * Tile::BN + col];
#pragma unroll
  for (int n = 0; n < P::kRows / kRowsAtOnce; ++n) {
    constexpr int kApart = kRowsAtOnce;
    const int below = n * kApart / P::kOfWarp * Tile::WM + n * kApart % P::kOfWarp;
#pragma unroll
    for (int across = 0; across < Tile::BN; across += kAcross)
      to.store_one(first + below, col + across, from[n * kApart * Tile::BN + across]);
  }
}

/// Adds the slices' sums and stores them. They meet in shared memory, piece by piece. There all threads add and store an
/// equal share: by fours; or, of one slice where rows of C start anywhere, by single floats, so that neighbouring threads
/// store neighbours. By fours they would write a part of each sector at a time: 2047³ took 342.4 us, and takes 339.1. Of
/// several slices single floats take longer: 1230×329×65 7.9 us instead of 7.5.
template <typename Tile, typename To>
__device__ void add_slices(const Sums<Tile>& sums, const ThreadPlace<Tile>& place, const To& to) {
  using P = Piece<Tile>;
  float* const all = dynamic_shared();  // the stages have been read by all
  const int first = place.row / Tile::WM * P::kOfWarp + place.row % Tile::WM;
#pragma unroll
  for (int number = 0; number < Tile::kPieces; ++number) {
    const P piece{number};
#pragma unroll
    for (int n = 0; n < P::kOfThread; ++n) {
      const int row = first + n / kVector * kVector * Tile::kLanesDown + n % kVector;
#pragma unroll
      for (int j = 0; j < Tile::TN; j += kVector) {
        const int at = (place.slice * P::kRows + row) * Tile::BN + place.col + j * Tile::kLanesAcross;
        *reinterpret_cast<float4*>(&all[at]) = sums.four(number * P::kOfThread + n, j, to.arguments.alpha);
      }
    }
    __syncthreads();
    if (Tile::kSlices > 1 || to.by_fours()) {
#pragma unroll
      for (int i = threadIdx.x * kVector; i < P::kFloats; i += Tile::kThreads * kVector)
        to.template store<Tile>(piece.row_of_tile(i / Tile::BN), i % Tile::BN, sum_of_slices<Tile>(all, i));
    } else {
      store_single<Tile>(all, piece, to);
    }
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
