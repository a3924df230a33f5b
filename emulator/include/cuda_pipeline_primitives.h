#pragma once

// CUDA's asynchronous copies to shared memory (cp.async).

#include "cuda_runtime.h"

/// bytes: 4, 8 or 16, to which both addresses are aligned; the last `zeros` of them are not read but set to 0.
__forceinline__ void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                             std::size_t zeros = 0) {
  gemmlab::emulation::async_copy(to, from, bytes, bytes - zeros);
}
__forceinline__ void __pipeline_commit() {
  gemmlab::emulation::async_commit();
}
__forceinline__ void __pipeline_wait_prior(int groups) {
  gemmlab::emulation::async_wait(groups);
}
