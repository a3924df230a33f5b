#pragma once

// What the launches of products by wgmma have in common: the tiles, and a grid of clusters.

#include <algorithm>
#include <string>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/tensor/instructions/launch_after.h"
#include "gpu/gemm/tensor/instructions/tensor_map.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/ring_sm90.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {

//                                     cols step run carry
using EightTile = sm90::WgmmaTile<128, 32, 1, true>;
using ThreeTile = sm90::WgmmaTile<128, 32, 2, false>;  // steps of 64: 1.00 to 1.09 of its time on an H200
using NarrowTile = sm90::WgmmaTile<64, 64, 1, false>;
using CarryTile = sm90::WgmmaTile<128, 32, 2, true>;

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

/// Of a scheme's products by a tile. `rounding`: what becomes of what adding up rounds off.
template <typename Scheme, typename Tile>
Facts facts_of(const char* tile, const char* rounding) {
  return {
      {"instruction", std::string("wgmma")},     {"tile", std::string(tile)},
      {"cluster", std::int64_t{sm90::kCluster}}, {"step", std::int64_t{Tile::kStep}},
      {"rounding", std::string(rounding)},       {"stages", std::int64_t{sm90::Ring<Scheme, Tile>::kStages}}};
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
