#pragma once

// One launch for a whole batch: a block computes a tile of one product, by the steps of gpu.pipelined. Products whose
// tiles do not fill a card alone fill it together. For .cu files.

#include "gpu/gemm/batched/source.h"
#include "gpu/gemm/pipelined/kernel.h"

namespace gemmlab::gpu {

/// A tile of gpu.pipelined whose rows of Bs lie four floats further apart, so that B can be turned on its way, too.
template <typename Tile>
struct BatchedTile : Tile {
  static constexpr int kRowOfBs = Tile::BN + kVector;
  static constexpr int kStage = Tile::kStageOfA + Tile::BK * kRowOfBs;
  static constexpr int kStagesBytes = Tile::kStages * kStage * static_cast<int>(sizeof(float));
  static constexpr int kSharedBytes = kStagesBytes > Tile::kPieceBytes ? kStagesBytes : Tile::kPieceBytes;
};

/// C of one product.
struct BatchedDestination {
  const BatchedArguments& arguments;
  float* C;
  int tile_row;
  int tile_col;

  __device__ bool by_fours() const { return arguments.c_aligned; }

  /// One element of the tile.
  __device__ void store_one(int row, int col, float sum) const {
    row += tile_row;
    col += tile_col;
    if (row >= arguments.M || col >= arguments.N) return;
    float* const to = &C[static_cast<std::int64_t>(row) * arguments.ldc + col];
    *to = arguments.beta == 0 ? sum : sum + arguments.beta * *to;
  }

  /// Four neighbours of the tile, at a multiple of four.
  template <typename Tile>
  __device__ void store(int row, int col, float4 four) const {
    if (!arguments.c_aligned) {
      store_one(row, col, four.x);
      store_one(row, col + 1, four.y);
      store_one(row, col + 2, four.z);
      store_one(row, col + 3, four.w);
      return;
    }
    row += tile_row;
    col += tile_col;
    if (row >= arguments.M || col >= arguments.N) return;
    auto* const to = reinterpret_cast<float4*>(&C[static_cast<std::int64_t>(row) * arguments.ldc + col]);
    if (arguments.beta != 0) {
      const float4 before = *to;
      four.x += arguments.beta * before.x;
      four.y += arguments.beta * before.y;
      four.z += arguments.beta * before.z;
      four.w += arguments.beta * before.w;
    }
    *to = four;
  }
};

template <typename Tile, Lies kA, Lies kB>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kMinBlocks)
    batched_kernel(const BatchedArguments arguments) {
  const ThreadPlace<Tile> place;
  unsigned block = blockIdx.x;
  Sums<Tile> sums;
  {
    const unsigned tile = block % arguments.tiles;
    BatchedSource<Tile, kA, kB> source(arguments, block / arguments.tiles, tile / arguments.across * Tile::BM,
                                       tile % arguments.across * Tile::BN);
    multiply_steps<Tile>(sums, source, place, (arguments.K + Tile::BK - 1) / Tile::BK);
  }
  // found anew, so that the steps above need not keep its place in registers
  asm volatile("" : "+r"(block));
  const unsigned tile = block % arguments.tiles;
  const BatchedDestination to{arguments, arguments.C + block / arguments.tiles * arguments.stride_c,
                              static_cast<int>(tile / arguments.across * Tile::BM),
                              static_cast<int>(tile % arguments.across * Tile::BN)};
  store_tile<Tile>(sums, place, to);
}

}  // namespace gemmlab::gpu
