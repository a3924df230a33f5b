#pragma once

// The kernel for tiles whose K is shared out among the blocks of a cluster: each sums its steps, and all add up through
// each other's shared memory. That spares the second kernel and the way through the L2 that partial sums take
// (add_partials.cu), which are most of the time of a small product. For .cu files.

#include "gpu/cluster.h"
#include "gpu/gemm/pipelined/kernel.h"

namespace gemmlab::gpu {

/// A tile's sums in shared memory, behind the stages.
struct SharedTile {
  const PipelinedArguments& arguments;
  float* sums;

  template <typename Tile>
  __device__ void store(int row, int col, float4 four) const {
    *reinterpret_cast<float4*>(&sums[row * Tile::BN + col]) = four;
  }
};

template <typename Tile>
constexpr int kClusteredBytes = Tile::kSharedBytes + Tile::BM* Tile::BN * static_cast<int>(sizeof(float));

/// As pipelined_kernel; `splits` blocks, which are a cluster, compute a tile.
template <typename Tile, bool kAligned>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kMinBlocks)
    clustered_kernel(const PipelinedArguments arguments, int splits) {
#if GEMMLAB_HAS_CLUSTERS
  const Schedule& schedule = arguments.schedule;
  const ThreadPlace<Tile> place;
  const unsigned rank = cluster_rank();
  const TilePlace at = place_of(schedule, blockIdx.x / splits);
  const int first = static_cast<int>(static_cast<std::int64_t>(schedule.steps) * rank / splits);
  const int behind = static_cast<int>(static_cast<std::int64_t>(schedule.steps) * (rank + 1) / splits);
  TileSource<Tile, kAligned> source(arguments, at.row * Tile::BM, at.col * Tile::BN, first * Tile::BK);
  Sums<Tile> sums;
  multiply_steps<Tile, kAligned>(sums, source, place, behind - first);

  float* const shared = dynamic_shared() + Tile::kSharedBytes / sizeof(float);
  const SharedTile to{arguments, shared};
  if constexpr (Tile::kSlices > 1) {
    add_slices<Tile>(sums, place, to);
  } else {
    store_sums<Tile>(sums, place, to);
  }
  cluster_sync();
  constexpr int kFours = Tile::BM * Tile::BN / kVector;
  for (int four = rank * Tile::kThreads + threadIdx.x; four < kFours; four += splits * Tile::kThreads) {
    float4 sum = make_float4(0, 0, 0, 0);
    for (int other = 0; other < splits; ++other) {
      const float4 part = reinterpret_cast<const float4*>(in_block(shared, other))[four];
      sum.x += part.x;
      sum.y += part.y;
      sum.z += part.z;
      sum.w += part.w;
    }
    const int row = four * kVector / Tile::BN;
    const int col = four * kVector % Tile::BN;
    store_into_c(arguments, at.row * Tile::BM + row, at.col * Tile::BN + col, sum);
  }
  cluster_sync();  // a block's shared memory is read until here
#endif
}

}  // namespace gemmlab::gpu
