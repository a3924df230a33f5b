#pragma once

// Of gemm_sm90.h: the tile of a block, and the ring of stages through which the parts of A and B come.

#include "gpu/gemm/tensor/instructions/ptx_sm90.h"
#include "gpu/gemm/tensor/operand_scan.h"
#include "gpu/gemm/tensor/tiles.h"

namespace gemmlab::gpu::parts::sm90 {

constexpr int kBlockRows = 128;  // BM
constexpr int kCluster = 2;      // blocks of a cluster that share a tile of B
constexpr int kConsumers = 2;    // warpgroups that multiply
constexpr int kWarpgroup = 128;  // threads
constexpr int kThreads = (1 + kConsumers) * kWarpgroup;
constexpr int kProducerRegisters = 40;   // of a thread of the warpgroup that fetches
constexpr int kConsumerRegisters = 232;  // of the others: all that are left

/// A block's 128×kCols of C, in steps of kStep of K, of which kRun are summed before they are added up; the other
/// warpgroup keeps the tensor core busy meanwhile. kCarry: what adding up rounds off is kept, which takes a
/// seventh to a quarter of the time. BF16 triples keep it always, and are added up after each step.
template <int kCols_, int kStep_, int kRun_, bool kCarry_>
struct WgmmaTile {
  static constexpr int kCols = kCols_;  // BN
  static constexpr int kStep = kStep_;  // BK
  static constexpr int kRun = kRun_;
  static constexpr bool kCarry = kCarry_;
  static constexpr int kRowBytes = kStep * 2;        // of a part's tile: the width of the swizzle
  static constexpr int kRowsOfB = kCols / kCluster;  // that one block fetches
  static constexpr int kBytesOfA = kBlockRows * kRowBytes;
  static constexpr int kBytesOfB = kCols * kRowBytes;
  static_assert(kBytesOfA % 1024 == 0 && kRowsOfB % 8 == 0, "tiles begin where a swizzle does");
};

/// A tile of one product of a batch.
template <typename Tile>
struct OfBatch : Tile {};
template <typename Tile>
constexpr bool kOfBatch = false;
template <typename Tile>
constexpr bool kOfBatch<OfBatch<Tile>> = true;

/// Of a scheme and a tile: bytes of a stage, and as many stages as fit.
template <typename Scheme, typename Tile>
struct Ring {
  static constexpr int kStageBytes = Scheme::kParts * (Tile::kBytesOfA + Tile::kBytesOfB);
  static constexpr int kStages = (220 * 1024) / kStageBytes;
  static constexpr int kAlignment = 1024;  // eight rows of the swizzle
  static constexpr int kBytes = kStages * kStageBytes + kAlignment + 2 * kStages * 8;
  static_assert(kStages >= 2, "one is multiplied while another is fetched");
};

/// How far apart the products of a batch lie: rows of A and columns of B among those of all, and C.
struct Apart {
  int count;
  int rows;
  int cols;
  std::int64_t c;
};

struct Arguments {
  const Findings* findings;
  Output output;
  TileGrid tiles;  // of a cluster; of a batch those of one product
  int steps;       // of K; the last may lie partly beyond it
  int K;
  bool half_allowed;
  Apart apart;  // for tiles OfBatch
};

/// First row and column of the block's part of a cluster's tile.
struct Corner {
  int row;
  int col;
  int product;  // of a batch
};

/// Tiles of a cluster: of a batch first all of one product.
template <typename Tile>
__device__ int count_of(const Arguments& arguments) {
  if constexpr (kOfBatch<Tile>) {
    return arguments.tiles.count() * arguments.apart.count;
  } else {
    return arguments.tiles.count();
  }
}

template <typename Tile>
__device__ Corner corner_of(int tile, const Arguments& arguments) {
  int product = 0;
  if constexpr (kOfBatch<Tile>) {
    product = tile / arguments.tiles.count();
    tile -= product * arguments.tiles.count();
  }
  const TilePlace place = arguments.tiles.place(tile);
  return {(place.row * kCluster + static_cast<int>(cluster_rank())) * kBlockRows, place.col * Tile::kCols,
          product};
}

/// Where a tile's parts begin among those of all products. A tile that reaches beyond its product reads rows of the next
/// one, for sums that are not stored.
template <typename Tile>
__device__ Corner corner_of_parts(Corner corner, const Arguments& arguments) {
  if constexpr (kOfBatch<Tile>) {
    corner.row += corner.product * arguments.apart.rows;
    corner.col += corner.product * arguments.apart.cols;
  }
  return corner;
}

/// A product's C and its scales.
template <typename Tile>
__device__ decltype(auto) output_at(const Corner& corner, const Arguments& arguments) {
  if constexpr (kOfBatch<Tile>) {
    Output output = arguments.output;
    output.scales_of_rows += corner.product * arguments.apart.rows;
    output.scales_of_cols += corner.product * arguments.apart.cols;
    output.C += corner.product * arguments.apart.c;
    return output;
  } else {
    return (arguments.output);
  }
}

/// Addresses in shared memory: stages, and for each a barrier "full" and one "empty".
template <typename Scheme, typename Tile>
struct Stages {
  using Sizes = Ring<Scheme, Tile>;
  std::uint32_t base;
  __device__ Stages()
      : base((dynamic_shared() + Sizes::kAlignment - 1) / Sizes::kAlignment * Sizes::kAlignment) {}
  __device__ std::uint32_t a(int stage, int part) const {
    return base + stage * Sizes::kStageBytes + part * Tile::kBytesOfA;
  }
  __device__ std::uint32_t b(int stage, int part) const {
    return a(stage, Scheme::kParts) + part * Tile::kBytesOfB;
  }
  __device__ std::uint32_t full(int stage) const {
    return base + Sizes::kStages * Sizes::kStageBytes + stage * 8;
  }
  __device__ std::uint32_t empty(int stage) const { return full(Sizes::kStages + stage); }

  __device__ void init() const {
    for (int stage = 0; stage < Sizes::kStages; ++stage) {
      barrier_init(full(stage), 1);
      // each warp tells each block that writes here
      barrier_init(empty(stage), kCluster * kConsumers * kWarpgroup / 32);
    }
    barrier_init_fence();
  }
};

}  // namespace gemmlab::gpu::parts::sm90
