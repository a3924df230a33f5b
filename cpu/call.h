#pragma once

// What a kernel of an operation other than gemm hands to the table. Like all that such a file includes, no code
// of its own: see kernel.h.

#include <cstdint>

#include "core/rounding.h"
#include "cpu/device/kernel.h"

namespace gemmlab::cpu {

/// One call: operands and dimensions in the order of the operation.
struct Call {
  void* const* operands;
  const std::int64_t* dims;
  float factor;                   ///< axpy's alpha, triad's scalar
  bool transposed;                ///< gemv: y = Aᵀ·x
  int threads;                    ///< that are to take part
  std::int64_t last_cache_bytes;  ///< of the last cache before memory

  template <typename T>
  __attribute__((always_inline)) const T* in(int operand) const {
    return static_cast<const T*>(operands[operand]);
  }
  template <typename T>
  __attribute__((always_inline)) T* out(int operand) const {
    return static_cast<T*>(operands[operand]);
  }
};

/// Computes and returns the number of threads that took part.
using CallKernel = int (*)(const Call&);

struct CallMethod {
  const char* id;
  const char* name = "";    ///< in texts and figures; "": made of the id
  const char* family = "";  ///< whose colour it has in figures: see Description
  const char* summary;
  const char* source;
  const char* counterpart = "";  ///< "" where there is none
  bool threaded = false;         ///< takes the parameter `threads`
  CallKernel run;
  /// Of the first operand: a thread is worth waking for so many, and `threads` is an upper limit; 0:
  /// exactly so many.
  std::int64_t elements_per_thread = 0;
};

/// Half-open range of what one of `shares` equal shares takes of `count`; begins at multiples of `step`.
struct Share {
  std::int64_t begin;
  std::int64_t end;
};
static inline __attribute__((always_inline)) Share share_of(std::int64_t count, int shares, int index,
                                                            std::int64_t step) {
  const std::int64_t steps = ceil_div(count, step);
  const std::int64_t more = steps % shares;  // the first shares are one step longer
  const std::int64_t begin = (steps / shares * index + (index < more ? index : more)) * step;
  const std::int64_t end = begin + (steps / shares + (index < more ? 1 : 0)) * step;
  return {begin < count ? begin : count, end < count ? end : count};
}

}  // namespace gemmlab::cpu
