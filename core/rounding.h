#pragma once

// Whole numbers rounded up to a multiple. For any file: .cu files in C++17 and their kernels, and what is
// compiled once for each isa, where an ordinary inline function could become a symbol that all isas share.

#include <type_traits>

#ifdef __CUDACC__
#define GEMMLAB_ROUNDING static __host__ __device__ __forceinline__ constexpr
#else
#define GEMMLAB_ROUNDING static inline __attribute__((always_inline)) constexpr
#endif

namespace gemmlab {

/// How many units cover `value`, which is at least 0.
template <typename Whole>
GEMMLAB_ROUNDING Whole ceil_div(Whole value, std::common_type_t<Whole> unit) {
  return (value + unit - 1) / unit;
}

/// The first multiple of `unit` from `value` on.
template <typename Whole>
GEMMLAB_ROUNDING Whole rounded_up(Whole value, std::common_type_t<Whole> unit) {
  return ceil_div(value, unit) * unit;
}

}  // namespace gemmlab

#undef GEMMLAB_ROUNDING
