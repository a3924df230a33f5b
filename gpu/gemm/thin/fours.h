#pragma once

// Four floats that a lane reads of a row: neighbours, by one load, where rows start at multiples of 16 bytes; else a
// warp apart, by four. For .cu files.

#include <cuda_runtime.h>

namespace gemmlab::gpu::thin {

constexpr int kFour = 4;
constexpr int kWarpFours = 128;  // floats that a warp reads at once

/// Where in the warp's 128 floats a lane's `i`th lies.
template <bool kAligned>
__device__ inline int offset(int i) {
  const int lane = threadIdx.x % 32;
  return kAligned ? lane * kFour + i : lane + i * 32;
}

/// A lane's four of the 128 floats at `from`, of which `inside` exist; zeros beyond. kAligned: `inside` is a multiple
/// of four. Past the L1 cache, since nothing is read twice; single floats through it, since neighbouring 128 bytes
/// share a sector.
template <bool kAligned>
__device__ inline float4 load(const float* from, int inside) {
  if constexpr (kAligned) {
    const int at = offset<true>(0);
    return at < inside ? __ldcg(reinterpret_cast<const float4*>(from + at)) : make_float4(0, 0, 0, 0);
  } else {
    float4 four;
    four.x = offset<false>(0) < inside ? __ldg(from + offset<false>(0)) : 0;
    four.y = offset<false>(1) < inside ? __ldg(from + offset<false>(1)) : 0;
    four.z = offset<false>(2) < inside ? __ldg(from + offset<false>(2)) : 0;
    four.w = offset<false>(3) < inside ? __ldg(from + offset<false>(3)) : 0;
    return four;
  }
}

}  // namespace gemmlab::gpu::thin
