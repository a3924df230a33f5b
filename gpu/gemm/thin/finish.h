#pragma once

// How the blocks that share out K add up, and how results come into C. For .cu files.

#include "gpu/device/reduce.h"
#include "gpu/gemm/thin/arguments.h"

namespace gemmlab::gpu::thin {

struct Place {
  int group;
  int split;
};
__device__ inline Place place_of(const Arguments& arguments) {
  return {static_cast<int>(blockIdx.x % arguments.groups), static_cast<int>(blockIdx.x / arguments.groups)};
}

/// What a block takes of K: whole batches, but for the last.
struct Range {
  int begin;
  int end;
};
__device__ inline Range range_of(const Arguments& arguments, const Place& place, int batch) {
  const std::int64_t batches = (arguments.K + static_cast<std::int64_t>(batch) - 1) / batch;
  const std::int64_t begin = batches * place.split / arguments.splits * batch;
  const std::int64_t end = batches * (place.split + 1) / arguments.splits * batch;
  return {static_cast<int>(begin), static_cast<int>(end < arguments.K ? end : arguments.K)};
}

/// Sums of kResults results of kVectors vectors, (vector, result), which each block of a group has in shared memory for
/// its part of K: the last block to come adds them up, in the order of K, and stores them. All threads call. `first`:
/// the block's first result.
template <int kThreads, int kVectors, int kResults>
__device__ void finish(const Arguments& arguments, const float* sums, const Place& place, int first) {
  constexpr int kAll = kVectors * kResults;
  const int splits = arguments.splits;
  const auto slot = [&](int split) {
    return arguments.partials + (static_cast<std::int64_t>(place.group) * splits + split) * kAll;
  };
  __syncthreads();
  if (splits > 1) {
    for (int i = threadIdx.x; i < kAll; i += kThreads) __stcg(slot(place.split) + i, sums[i]);
    if (!last_to_arrive(arguments.arrived + place.group, splits)) return;
  }
  for (int i = threadIdx.x; i < kAll; i += kThreads) {
    float sum = splits > 1 ? 0 : sums[i];
    if (splits > 1) {
#pragma unroll 8
      for (int split = 0; split < splits; ++split) sum += __ldcg(slot(split) + i);
    }
    const int v = i / kResults;
    if (first + i % kResults >= arguments.length || v >= arguments.count) continue;
    float* const to =
        arguments.C + (first + i % kResults) * arguments.result_step + v * arguments.results_apart;
    *to = arguments.beta == 0 ? arguments.alpha * sum : arguments.alpha * sum + arguments.beta * *to;
  }
}

}  // namespace gemmlab::gpu::thin
