#pragma once

// What the launches of products by wgmma have in common: the tiles, and a grid of clusters.

#include <algorithm>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/tensor/instructions/launch_after.h"
#include "gpu/gemm/tensor/instructions/tensor_map.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/ring_sm90.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {

//                      cols step sets run carry
using EightTile = sm90::WgmmaTile<128, 32, 1, 1, true>;
using ThreeTile = sm90::WgmmaTile<128, 64, 2, 4, false>;  // 211 TFLOP/s at 8192³ on an H200; with one set 205
using WideTile = sm90::WgmmaTile<192, 32, 1, 4, false>;   // 213, but fewer tiles share themselves out worse
using CarryTile = sm90::WgmmaTile<128, 32, 2, 8, true>;  // 0.86 of ThreeTile's speed at 2048³, 0.76 at 4096³

/// Of the three tiles for FP16 pairs.
enum class HalfTile { kSquare, kWide, kCarry };

/// The one that keeps what is rounded off where a library may be as accurate, else the one whose waves take
/// less time.
HalfTile half_tile_for(const Work& work);

/// The maps of A's and B's parts.
struct Maps {
  CUtensorMap a;
  CUtensorMap b;
};

template <typename Tile>
Maps maps_for(const Work& work, int element_bytes, int pitch) {
  return {tensor_map(work.parts_a, element_bytes, work.rows_of_a(), pitch, sm90::kBlockRows, Tile::kStep),
          tensor_map(work.parts_b, element_bytes, work.cols_of_b(), pitch, Tile::kRowsOfB, Tile::kStep)};
}

/// Tiles of clusters whose blocks span `cols` columns.
inline TileGrid tiles_of_clusters(const Work& work, int cols) {
  return {static_cast<int>(tiles_of(work.M, sm90::kCluster * sm90::kBlockRows)),
          static_cast<int>(tiles_of(work.N, cols))};
}

inline int clusters_at_once(const Work& work) {
  return std::max(1, work.multiprocessors / sm90::kCluster);
}

/// As many clusters as there are tiles, or as run at once.
template <typename... Parameters>
void launch_clusters(void (*kernel)(Parameters...), int clusters, int shared_bytes, bool early,
                     const Parameters&... arguments) {
  cudaLaunchAttribute attributes[2] = {{}, launched_early()};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = sm90::kCluster;
  attributes[0].val.clusterDim.y = 1;
  attributes[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(static_cast<unsigned>(clusters * sm90::kCluster));
  launch.blockDim = dim3(sm90::kThreads);
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = current_stream();
  launch.attrs = attributes;
  launch.numAttrs = early ? 2 : 1;
  GEMMLAB_CUDA_CHECK(cudaLaunchKernelEx(&launch, kernel, arguments...));
}

}  // namespace gemmlab::gpu::parts
