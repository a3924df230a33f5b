#pragma once

// Copies from global to shared memory that pass no register and that a thread need not wait for: cp.async,
// from compute capability 8.0. Before that they are ordinary copies, done when the call returns, and the
// waits are empty. The inline PTX of the FP32 rungs is all here.

#include <cuda_runtime.h>

#ifdef __CUDACC__

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define GEMMLAB_HAS_CP_ASYNC 1
#else
#define GEMMLAB_HAS_CP_ASYNC 0
#endif

namespace gemmlab::gpu {

/// Begins to copy BYTES (4 or 16) to shared memory, both ends at multiples of that; where not `inside`, zeros
/// are written and `from` is not read.
template <int BYTES>
__device__ inline void copy_async(float* to, const float* from, bool inside = true) {
  static_assert(BYTES == 4 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
#if GEMMLAB_HAS_CP_ASYNC
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = inside ? BYTES : 0;  // what is left up to BYTES is filled with zeros
  if constexpr (BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(bytes));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(bytes));
  }
#else
  if constexpr (BYTES == 16) {
    *reinterpret_cast<float4*>(to) =
        inside ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  } else {
    *to = inside ? *from : 0;
  }
#endif
}

/// Ends a group of this thread's copies; a group may be empty.
__device__ inline void commit_copies() {
#if GEMMLAB_HAS_CP_ASYNC
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until no more than PENDING of this thread's groups, the youngest, are under way. Other threads see
/// the data after a __syncthreads.
template <int PENDING>
__device__ inline void wait_for_copies() {
#if GEMMLAB_HAS_CP_ASYNC
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

/// The shared memory that the launch asked for.
__device__ inline float* dynamic_shared() {
  extern __shared__ float4 dynamic_shared_memory[];  // of float4: at a multiple of 16 bytes
  return reinterpret_cast<float*>(dynamic_shared_memory);
}

}  // namespace gemmlab::gpu

#endif
