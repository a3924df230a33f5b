#pragma once

// CUDA's half-precision floats: half and half2.

#include "gemmlab_cuda_small_floats.h"

using __half = gemmlab::emulation::SmallFloat<gemmlab::emulation::HalfFormat>;
using __half2 = gemmlab::emulation::SmallPair<gemmlab::emulation::HalfFormat>;
using half = __half;
using half2 = __half2;
using nv_half = __half;
using __nv_half = __half;
using nv_half2 = __half2;
using __nv_half2 = __half2;

GEMMLAB_DEVICE half __float2half(float x) {
  return x;
}
GEMMLAB_DEVICE half __float2half_rn(float x) {
  return x;
}
GEMMLAB_DEVICE half __double2half(double x) {
  return x;
}
GEMMLAB_DEVICE half __float2half_rz(float x) {
  const half nearest = x;
  const bool beyond = fabsf(static_cast<float>(nearest)) > fabsf(x);
  return half::of_bits(nearest.__x - (beyond ? 1U : 0U));
}
GEMMLAB_DEVICE float __half2float(half x) {
  return x;
}
GEMMLAB_DEVICE half2 __float2half2_rn(float x) {
  return half2(x, x);
}
GEMMLAB_DEVICE half2 __floats2half2_rn(float x, float y) {
  return half2(x, y);
}
GEMMLAB_DEVICE half2 __float22half2_rn(float2 x) {
  return half2(x.x, x.y);
}
GEMMLAB_DEVICE float2 __half22float2(half2 x) {
  return make_float2(x.x, x.y);
}
GEMMLAB_DEVICE half2 __half2half2(half x) {
  return half2(x, x);
}
GEMMLAB_DEVICE half2 __halves2half2(half x, half y) {
  return half2(x, y);
}
GEMMLAB_DEVICE half2 make_half2(half x, half y) {
  return half2(x, y);
}
GEMMLAB_DEVICE half __low2half(half2 x) {
  return x.x;
}
GEMMLAB_DEVICE half __high2half(half2 x) {
  return x.y;
}
GEMMLAB_DEVICE half2 __low2half2(half2 x) {
  return half2(x.x, x.x);
}
GEMMLAB_DEVICE half2 __high2half2(half2 x) {
  return half2(x.y, x.y);
}
GEMMLAB_DEVICE half2 __lowhigh2highlow(half2 x) {
  return half2(x.y, x.x);
}
GEMMLAB_DEVICE half2 __lows2half2(half2 x, half2 y) {
  return half2(x.x, y.x);
}
GEMMLAB_DEVICE half2 __highs2half2(half2 x, half2 y) {
  return half2(x.y, y.y);
}

GEMMLAB_DEVICE half __int2half_rn(int x) {
  return static_cast<double>(x);
}
GEMMLAB_DEVICE half __uint2half_rn(unsigned x) {
  return static_cast<double>(x);
}
GEMMLAB_DEVICE half __short2half_rn(short x) {
  return x;
}
GEMMLAB_DEVICE half __ushort2half_rn(unsigned short x) {
  return x;
}
GEMMLAB_DEVICE int __half2int_rn(half x) {
  return __float2int_rn(x);
}
GEMMLAB_DEVICE int __half2int_rz(half x) {
  return __float2int_rz(x);
}
GEMMLAB_DEVICE int __half2int_rd(half x) {
  return __float2int_rd(x);
}
GEMMLAB_DEVICE int __half2int_ru(half x) {
  return __float2int_ru(x);
}
GEMMLAB_DEVICE unsigned __half2uint_rn(half x) {
  return __float2uint_rn(x);
}
GEMMLAB_DEVICE unsigned __half2uint_rz(half x) {
  return __float2uint_rz(x);
}

GEMMLAB_DEVICE unsigned short __half_as_ushort(half x) {
  return x.__x;
}
GEMMLAB_DEVICE short __half_as_short(half x) {
  return static_cast<short>(x.__x);
}
GEMMLAB_DEVICE half __ushort_as_half(unsigned short x) {
  return half::of_bits(x);
}
GEMMLAB_DEVICE half __short_as_half(short x) {
  return half::of_bits(static_cast<unsigned short>(x));
}
