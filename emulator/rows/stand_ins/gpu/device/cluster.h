#pragma once

// In the place of gpu/device/cluster.h where kernels run on a CPU: there are no clusters.

#include "gpu/device/launch.h"

#define GEMMLAB_HAS_CLUSTERS 0

namespace gemmlab::gpu {

inline bool has_clusters() {
  return false;
}
__device__ inline unsigned rank_in_cluster() {
  return 0;
}
__device__ inline void sync_cluster() {}
template <typename T>
__device__ inline const T* in_block(const T* shared, unsigned) {
  return shared;
}
template <typename... Parameters, typename... Arguments>
void launch_clusters(void (*kernel)(Parameters...), std::int64_t blocks, unsigned, dim3 threads,
                     std::size_t shared_bytes, Arguments... arguments) {
  launch(kernel, blocks, threads, shared_bytes, arguments...);
}

}  // namespace gemmlab::gpu
