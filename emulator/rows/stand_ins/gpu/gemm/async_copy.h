#pragma once

// In the place of gpu/gemm/async_copy.h where kernels run on a CPU: the emulator's asynchronous copies, whose data arrive
// when they are waited for and not before, so that a wait that was forgotten shows.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

template <int BYTES>
__forceinline__ __device__ void copy_async(float* to, const float* from, bool inside = true) {
  static_assert(BYTES == 4 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
  emulation::async_copy(to, from, BYTES, inside ? BYTES : 0);
}

__forceinline__ __device__ void commit_copies() {
  emulation::async_commit();
}

template <int PENDING>
__forceinline__ __device__ void wait_for_copies() {
  emulation::async_wait(PENDING);
}

__device__ inline float* dynamic_shared() {
  extern __shared__ float4 dynamic_shared_memory[];  // of float4: at a multiple of 16 bytes
  return reinterpret_cast<float*>(dynamic_shared_memory);
}

}  // namespace gemmlab::gpu
