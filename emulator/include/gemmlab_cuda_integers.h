#pragma once

// CUDA's functions on integers and their bits, and its conversions between integers and floats.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "gemmlab_cuda_math.h"

namespace gemmlab::emulation {

/// A rounded value as an integer. As on the card, what is too large becomes the largest, and NaN becomes 0.
template <typename Integer, typename T>
GEMMLAB_DEVICE Integer saturated(T value) {
  constexpr T kTwo = 2;
  const T beyond = kTwo * static_cast<T>(std::numeric_limits<Integer>::max() / 2 + 1);
  if (value >= beyond) return std::numeric_limits<Integer>::max();
  if (value <= static_cast<T>(std::numeric_limits<Integer>::min()))
    return std::numeric_limits<Integer>::min();
  return value == value ? static_cast<Integer>(value) : 0;
}

/// The neighbour of the nearest float or double that lies toward zero, down or up, where the nearest overshot.
template <typename To, typename From>
GEMMLAB_DEVICE To rounded_to_zero(From value) {
  const To nearest = static_cast<To>(value);
  if constexpr (std::is_integral_v<From>) {
    const auto wide = static_cast<long double>(nearest);  // 64 bits: holds every integer
    const auto exact = static_cast<long double>(value);
    return std::fabs(wide) > std::fabs(exact) ? std::nextafter(nearest, To(0)) : nearest;
  } else {
    return std::fabs(static_cast<From>(nearest)) > std::fabs(value) ? std::nextafter(nearest, To(0))
                                                                    : nearest;
  }
}

}  // namespace gemmlab::emulation

GEMMLAB_DEVICE int __popc(unsigned x) {
  return __builtin_popcount(x);
}
GEMMLAB_DEVICE int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
GEMMLAB_DEVICE int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
GEMMLAB_DEVICE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
GEMMLAB_DEVICE int __ffs(int x) {
  return __builtin_ffs(x);
}
GEMMLAB_DEVICE int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
GEMMLAB_DEVICE unsigned long long __brevll(unsigned long long x) {
  x = __builtin_bswap64(x);
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (x & 0x0f0f0f0f0f0f0f0fULL) << 4;
  x = (x >> 2 & 0x3333333333333333ULL) | (x & 0x3333333333333333ULL) << 2;
  return (x >> 1 & 0x5555555555555555ULL) | (x & 0x5555555555555555ULL) << 1;
}
GEMMLAB_DEVICE unsigned __brev(unsigned x) {
  return static_cast<unsigned>(__brevll(x) >> 32);
}
GEMMLAB_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned chosen = selector >> (4 * i) & 7U;  // the fourth bit counts in PTX's prmt only
    const unsigned byte = static_cast<unsigned>(bytes >> (8 * chosen)) & 0xffU;
    result |= byte << (8 * i);
  }
  return result;
}
GEMMLAB_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << (shift & 31U) >> 32);
}
GEMMLAB_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (shift & 31U));
}

GEMMLAB_DEVICE int __mul24(int x, int y) {
  return (x << 8 >> 8) * (y << 8 >> 8);
}
GEMMLAB_DEVICE unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffffU) * (y & 0xffffffU);
}
GEMMLAB_DEVICE int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<std::int64_t>(x) * y >> 32);
}
GEMMLAB_DEVICE unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(x) * y >> 32);
}
__extension__ GEMMLAB_DEVICE long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
__extension__ GEMMLAB_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
GEMMLAB_DEVICE unsigned __sad(int x, int y, unsigned z) {
  return z +
         static_cast<unsigned>(x < y ? static_cast<std::int64_t>(y) - x : static_cast<std::int64_t>(x) - y);
}
GEMMLAB_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return z + (x < y ? y - x : x - y);
}
GEMMLAB_DEVICE int __dp4a(int x, int y, int sum) {
  for (int i = 0; i < 32; i += 8) sum += static_cast<std::int8_t>(x >> i) * static_cast<std::int8_t>(y >> i);
  return sum;
}
GEMMLAB_DEVICE unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
  for (int i = 0; i < 32; i += 8) sum += (x >> i & 0xffU) * (y >> i & 0xffU);
  return sum;
}

#define GEMMLAB_SAME_BITS(name, From, To)        \
  GEMMLAB_DEVICE To name(From x) {               \
    return gemmlab::emulation::same_bits<To>(x); \
  }
GEMMLAB_SAME_BITS(__float_as_int, float, int)
GEMMLAB_SAME_BITS(__float_as_uint, float, unsigned)
GEMMLAB_SAME_BITS(__int_as_float, int, float)
GEMMLAB_SAME_BITS(__uint_as_float, unsigned, float)
GEMMLAB_SAME_BITS(__double_as_longlong, double, long long)
GEMMLAB_SAME_BITS(__longlong_as_double, long long, double)
#undef GEMMLAB_SAME_BITS
GEMMLAB_DEVICE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
GEMMLAB_DEVICE int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
GEMMLAB_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}

// Their rounding modes: to nearest even, to zero, down, up.
#define GEMMLAB_TO_INTEGER(name, From, To)                       \
  GEMMLAB_DEVICE To name##_rn(From x) {                          \
    return gemmlab::emulation::saturated<To>(std::nearbyint(x)); \
  }                                                              \
  GEMMLAB_DEVICE To name##_rz(From x) {                          \
    return gemmlab::emulation::saturated<To>(std::trunc(x));     \
  }                                                              \
  GEMMLAB_DEVICE To name##_rd(From x) {                          \
    return gemmlab::emulation::saturated<To>(std::floor(x));     \
  }                                                              \
  GEMMLAB_DEVICE To name##_ru(From x) {                          \
    return gemmlab::emulation::saturated<To>(std::ceil(x));      \
  }
GEMMLAB_TO_INTEGER(__float2int, float, int)
GEMMLAB_TO_INTEGER(__float2uint, float, unsigned)
GEMMLAB_TO_INTEGER(__float2ll, float, long long)
GEMMLAB_TO_INTEGER(__float2ull, float, unsigned long long)
GEMMLAB_TO_INTEGER(__double2int, double, int)
GEMMLAB_TO_INTEGER(__double2uint, double, unsigned)
GEMMLAB_TO_INTEGER(__double2ll, double, long long)
GEMMLAB_TO_INTEGER(__double2ull, double, unsigned long long)
#undef GEMMLAB_TO_INTEGER

#define GEMMLAB_FROM_NUMBER(name, From, To)            \
  GEMMLAB_DEVICE To name##_rn(From x) {                \
    return static_cast<To>(x);                         \
  }                                                    \
  GEMMLAB_DEVICE To name##_rz(From x) {                \
    return gemmlab::emulation::rounded_to_zero<To>(x); \
  }
GEMMLAB_FROM_NUMBER(__int2float, int, float)
GEMMLAB_FROM_NUMBER(__uint2float, unsigned, float)
GEMMLAB_FROM_NUMBER(__ll2float, long long, float)
GEMMLAB_FROM_NUMBER(__ull2float, unsigned long long, float)
GEMMLAB_FROM_NUMBER(__ll2double, long long, double)
GEMMLAB_FROM_NUMBER(__ull2double, unsigned long long, double)
GEMMLAB_FROM_NUMBER(__double2float, double, float)
#undef GEMMLAB_FROM_NUMBER
GEMMLAB_DEVICE double __int2double_rn(int x) {
  return x;
}
GEMMLAB_DEVICE double __uint2double_rn(unsigned x) {
  return x;
}
