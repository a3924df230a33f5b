#pragma once

// Clusters of blocks that read each other's shared memory: compute capability 9.0. For .cu files. Kernels that use
// them are launched where has_clusters() says so; for other cards their bodies are compiled empty.

#include <cuda_runtime.h>

#ifdef __CUDACC__

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define GEMMLAB_HAS_CLUSTERS 1
#include <cooperative_groups.h>
#else
#define GEMMLAB_HAS_CLUSTERS 0
#endif

namespace gemmlab::gpu {

/// The block's place in its cluster.
__device__ inline unsigned cluster_rank() {
#if GEMMLAB_HAS_CLUSTERS
  return cooperative_groups::this_cluster().block_rank();
#else
  return 0;
#endif
}

/// All threads of all blocks meet; what they have written to shared memory is then visible to all.
__device__ inline void cluster_sync() {
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
  return shared;
#endif
}

}  // namespace gemmlab::gpu

#endif
