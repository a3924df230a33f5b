#pragma once

// Four floats that a lane reads of a row: neighbours, by one load, where rows start at multiples of 16 bytes; else by
// four loads, so that neighbouring lanes read neighbours. For .cu files.

#include <cuda_runtime.h>

namespace gemmlab::gpu::thin {

constexpr int kFour = 4;

/// Where a lane's `i`th float lies among those that `kAcross` lanes, side by side in a row, read at once.
template <int kAcross, bool kAligned>
__device__ inline int offset(int i) {
  const int lane = threadIdx.x % kAcross;
  return kAligned ? lane * kFour + i : lane + i * kAcross;
}

/// A lane's four of the floats from `from` on, of which `inside` exist; zeros beyond. kAligned: `inside` is a multiple
/// of four. Past the L1 cache, since nothing is read twice; single floats through it, since neighbours share a sector.
template <int kAcross, bool kAligned>
__device__ inline float4 load(const float* from, int inside) {
  if constexpr (kAligned) {
    const int at = offset<kAcross, true>(0);
    return at < inside ? __ldcg(reinterpret_cast<const float4*>(from + at)) : make_float4(0, 0, 0, 0);
  } else {
    const auto one = [&](int i) {
      const int at = offset<kAcross, false>(i);
      return at < inside ? __ldg(from + at) : 0.0f;
    };
    return make_float4(one(0), one(1), one(2), one(3));
  }
}

}  // namespace gemmlab::gpu::thin
