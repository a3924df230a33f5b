#pragma once

// In the place of gpu/gemm/async_copy.h where kernels run on a CPU: each copy is done when the call returns, as before
// compute capability 8.0, and the waits are empty.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

template <int BYTES>
__device__ inline void copy_async(float* to, const float* from, bool inside = true) {
  if constexpr (BYTES == 16) {
    *reinterpret_cast<float4*>(to) =
        inside ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  } else {
    static_assert(BYTES == 4, "cp.async copies 4, 8 or 16 bytes");
    *to = inside ? *from : 0;
  }
}

__device__ inline void commit_copies() {}

template <int PENDING>
__device__ inline void wait_for_copies() {}

__device__ inline float* dynamic_shared() {
  extern __shared__ float4 dynamic_shared_memory[];  // of float4: at a multiple of 16 bytes
  return reinterpret_cast<float*>(dynamic_shared_memory);
}

}  // namespace gemmlab::gpu
