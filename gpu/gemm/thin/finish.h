#pragma once

// How the blocks that share out K add up, and how results come into C. For .cu files.

#include "gpu/cluster.h"
#include "gpu/gemm/thin/arguments.h"
#include "gpu/reduce.h"

namespace gemmlab::gpu::thin {

/// How the splits of K meet.
enum class Meeting { kCluster, kMemory };

struct Place {
  int group;
  int split;
};

/// The splits of a group are neighbours, for a cluster's sake.
__device__ inline Place place_of(const Arguments& arguments) {
  return {static_cast<int>(blockIdx.x / arguments.splits), static_cast<int>(blockIdx.x % arguments.splits)};
}

/// Result `i` of vector `v`.
__device__ inline void store(const Arguments& arguments, int i, int v, float sum) {
  float* const to = arguments.C + i * arguments.result_step + v * arguments.results_apart;
  *to = arguments.beta == 0 ? arguments.alpha * sum : arguments.alpha * sum + arguments.beta * *to;
}

/// Sums of kResults results of kVectors vectors, (vector, result), which each block of a group has in shared memory for
/// its part of K: adds them up, in the order of K, and stores them. All threads call. `first`: the block's first result.
template <int kVectors, int kResults, Meeting kMeeting>
__device__ void finish(const Arguments& arguments, const float* sums, const Place& place, int first) {
  constexpr int kAll = kVectors * kResults;
  const int splits = arguments.splits;
  if constexpr (kMeeting == Meeting::kCluster) {
    cluster_sync();
    for (int i = place.split * kThreads + threadIdx.x; i < kAll; i += splits * kThreads) {
      float sum = 0;
      for (int split = 0; split < splits; ++split) sum += in_block(sums, split)[i];
      if (first + i % kResults < arguments.length && i / kResults < arguments.count)
        store(arguments, first + i % kResults, i / kResults, sum);
    }
    cluster_sync();  // a block's shared memory is read until here
    return;
  }
  __syncthreads();
  const auto slot = [&](int split) {
    return arguments.partials + (static_cast<std::int64_t>(place.group) * splits + split) * kAll;
  };
  if (splits > 1) {
    for (int i = threadIdx.x; i < kAll; i += kThreads) __stcg(slot(place.split) + i, sums[i]);
    if (!last_to_arrive(arguments.arrived + place.group, splits)) return;
  }
  for (int i = threadIdx.x; i < kAll; i += kThreads) {
    float sum = splits > 1 ? 0 : sums[i];
    for (int split = 0; splits > 1 && split < splits; ++split) sum += __ldcg(slot(split) + i);
    if (first + i % kResults < arguments.length && i / kResults < arguments.count)
      store(arguments, first + i % kResults, i / kResults, sum);
  }
}

}  // namespace gemmlab::gpu::thin
