#pragma once

// CUDA's bfloat16 floats: __nv_bfloat16 and __nv_bfloat162.

#include "gemmlab_cuda_small_floats.h"

using __nv_bfloat16 = gemmlab::emulation::SmallFloat<gemmlab::emulation::Bfloat16Format>;
using __nv_bfloat162 = gemmlab::emulation::SmallPair<gemmlab::emulation::Bfloat16Format>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

GEMMLAB_DEVICE nv_bfloat16 __float2bfloat16(float x) {
  return x;
}
GEMMLAB_DEVICE nv_bfloat16 __float2bfloat16_rn(float x) {
  return x;
}
GEMMLAB_DEVICE nv_bfloat16 __double2bfloat16(double x) {
  return x;
}
GEMMLAB_DEVICE nv_bfloat16 __float2bfloat16_rz(float x) {
  return nv_bfloat16::of_bits(__float_as_uint(x) >> 16);
}
GEMMLAB_DEVICE float __bfloat162float(nv_bfloat16 x) {
  return x;
}
GEMMLAB_DEVICE nv_bfloat162 __float2bfloat162_rn(float x) {
  return nv_bfloat162(x, x);
}
GEMMLAB_DEVICE nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return nv_bfloat162(x, y);
}
GEMMLAB_DEVICE nv_bfloat162 __float22bfloat162_rn(float2 x) {
  return nv_bfloat162(x.x, x.y);
}
GEMMLAB_DEVICE float2 __bfloat1622float2(nv_bfloat162 x) {
  return make_float2(x.x, x.y);
}
GEMMLAB_DEVICE nv_bfloat162 __bfloat162bfloat162(nv_bfloat16 x) {
  return nv_bfloat162(x, x);
}
GEMMLAB_DEVICE nv_bfloat162 __halves2bfloat162(nv_bfloat16 x, nv_bfloat16 y) {
  return nv_bfloat162(x, y);
}
GEMMLAB_DEVICE nv_bfloat162 make_bfloat162(nv_bfloat16 x, nv_bfloat16 y) {
  return nv_bfloat162(x, y);
}
GEMMLAB_DEVICE nv_bfloat16 __low2bfloat16(nv_bfloat162 x) {
  return x.x;
}
GEMMLAB_DEVICE nv_bfloat16 __high2bfloat16(nv_bfloat162 x) {
  return x.y;
}
GEMMLAB_DEVICE nv_bfloat162 __low2bfloat162(nv_bfloat162 x) {
  return nv_bfloat162(x.x, x.x);
}
GEMMLAB_DEVICE nv_bfloat162 __high2bfloat162(nv_bfloat162 x) {
  return nv_bfloat162(x.y, x.y);
}

GEMMLAB_DEVICE nv_bfloat16 __int2bfloat16_rn(int x) {
  return static_cast<double>(x);
}
GEMMLAB_DEVICE nv_bfloat16 __uint2bfloat16_rn(unsigned x) {
  return static_cast<double>(x);
}
GEMMLAB_DEVICE int __bfloat162int_rn(nv_bfloat16 x) {
  return __float2int_rn(x);
}
GEMMLAB_DEVICE int __bfloat162int_rz(nv_bfloat16 x) {
  return __float2int_rz(x);
}

GEMMLAB_DEVICE unsigned short __bfloat16_as_ushort(nv_bfloat16 x) {
  return x.__x;
}
GEMMLAB_DEVICE short __bfloat16_as_short(nv_bfloat16 x) {
  return static_cast<short>(x.__x);
}
GEMMLAB_DEVICE nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return nv_bfloat16::of_bits(x);
}
GEMMLAB_DEVICE nv_bfloat16 __short_as_bfloat16(short x) {
  return nv_bfloat16::of_bits(static_cast<unsigned short>(x));
}
