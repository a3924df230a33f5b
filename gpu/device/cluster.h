#pragma once

// Clusters of blocks that read each other's shared memory: compute capability 9.0. Kernels that use them are launched
// where has_clusters() says so; for other cards their bodies are compiled empty. For .cu files; has_clusters() for all.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

/// Does the card run code of this program that was compiled for clusters? Asked for once.
bool has_clusters();

}  // namespace gemmlab::gpu

#ifdef __CUDACC__

#include <cstddef>
#include <cstdint>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define GEMMLAB_HAS_CLUSTERS 1
#include <cooperative_groups.h>
#else
#define GEMMLAB_HAS_CLUSTERS 0
#endif

namespace gemmlab::gpu {

/// The block's place in its cluster.
__device__ inline unsigned rank_in_cluster() {
#if GEMMLAB_HAS_CLUSTERS
  return cooperative_groups::this_cluster().block_rank();
#else
  return 0;
#endif
}

/// All threads of all blocks meet; what they have written to shared memory is then visible to all.
__device__ inline void sync_cluster() {
#if GEMMLAB_HAS_CLUSTERS
  cooperative_groups::this_cluster().sync();
#endif
}

/// The same place of shared memory in the block of that rank.
template <typename T>
__device__ inline const T* in_block(const T* shared, unsigned rank) {
#if GEMMLAB_HAS_CLUSTERS
  return cooperative_groups::this_cluster().map_shared_rank(shared, rank);
#else
  (void)rank;
  return shared;
#endif
}

/// Puts a kernel into the current stream whose blocks, in order, are clusters of `cluster`.
template <typename... Parameters, typename... Arguments>
void launch_clusters(void (*kernel)(Parameters...), std::int64_t blocks, unsigned cluster, dim3 threads,
                     std::size_t shared_bytes, Arguments... arguments) {
  cudaLaunchAttribute size = {};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = cluster;
  size.val.clusterDim.y = 1;
  size.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = current_stream();
  config.attrs = &size;
  config.numAttrs = 1;
  GEMMLAB_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace gemmlab::gpu

#endif
