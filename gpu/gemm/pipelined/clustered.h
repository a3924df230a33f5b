#pragma once

// The kernel for tiles whose K is shared out among the blocks of a cluster: each sums its steps, and all add up through
// each other's shared memory. That spares the second kernel and the way through the L2 that partial sums take
// (add_partials.cu), which are most of the time of a small product. For .cu files.

#include "gpu/device/cluster.h"
#include "gpu/device/vector4.h"
#include "gpu/gemm/pipelined/kernel.h"

namespace gemmlab::gpu {

/// A tile's sums in shared memory, behind the stages.
struct SharedTile {
  const PipelinedArguments& arguments;
  float* sums;

  __device__ bool by_fours() const { return true; }
  __device__ void store_one(int, int, float) const {}

  template <typename Tile>
  __device__ void store(int row, int col, float4 four) const {
    *reinterpret_cast<float4*>(&sums[row * Tile::BN + col]) = four;
  }
};

template <typename Tile>
constexpr int kClusteredBytes = Tile::kSharedBytes + Tile::BM* Tile::BN* static_cast<int>(sizeof(float));

/// Stores this block's share of the tile, whose sums lie in the shared memory of all blocks of the cluster, added in
/// the order of K.
template <typename Tile>
__device__ void store_share(const Destination& to, const float* sums, int rank, int splits) {
  for (int i = (rank * Tile::kThreads + threadIdx.x) * kVector; i < Tile::BM * Tile::BN;
       i += splits * Tile::kThreads * kVector) {
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
    for (int other = 0; other < splits; ++other)
      sum = added(sum, *reinterpret_cast<const float4*>(in_block(sums, other) + i));
    to.store<Tile>(i / Tile::BN, i % Tile::BN, sum);
  }
}

/// As pipelined_kernel; `splits` blocks, which are a cluster, compute a tile.
template <typename Tile, bool kAligned>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kMinBlocks)
    clustered_kernel(const PipelinedArguments arguments, int splits) {
#if GEMMLAB_HAS_CLUSTERS
  const Schedule& schedule = arguments.schedule;
  const ThreadPlace<Tile> place;
  const unsigned rank = rank_in_cluster();
  const TilePlace at = place_of(schedule, blockIdx.x / splits);
  const int first = static_cast<int>(static_cast<std::int64_t>(schedule.steps) * rank / splits);
  const int behind = static_cast<int>(static_cast<std::int64_t>(schedule.steps) * (rank + 1) / splits);
  TileSource<Tile, kAligned> source(arguments, at.row * Tile::BM, at.col * Tile::BN, first * Tile::BK);
  Sums<Tile> sums;
  multiply_steps<Tile>(sums, source, place, behind - first);

  float* const shared = dynamic_shared() + Tile::kSharedBytes / sizeof(float);
  const SharedTile to{arguments, shared};
  add_slices<Tile>(sums, place, to);
  sync_cluster();
  store_share<Tile>({arguments, nullptr, at.row * Tile::BM, at.col * Tile::BN}, shared, rank, splits);
  sync_cluster();  // a block's shared memory is read until here
#endif
}

}  // namespace gemmlab::gpu
