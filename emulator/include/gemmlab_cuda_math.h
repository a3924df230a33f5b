#pragma once

// CUDA's device mathematics that <cmath> lacks: rounding modes, min and max. As the card computes them, but for the
// functions that CUDA approximates (__expf and the like), which are exact to a rounding here.

#include <math.h>

#include <cmath>
#include <cstring>

// glibc declares these for itself, and offers none of them.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, sine, cosine) sincosf(x, sine, cosine)

#define GEMMLAB_DEVICE inline __attribute__((always_inline))

namespace gemmlab::emulation {

template <typename To, typename From>
GEMMLAB_DEVICE To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

/// The value itself, of which the compiler no longer knows that it is a product or sum: it stays out of a fused
/// multiply-add.
template <typename T>
GEMMLAB_DEVICE T opaque(T value) {
#if defined(__x86_64__)
  __asm__("" : "+x"(value));
#elif defined(__aarch64__)
  __asm__("" : "+w"(value));
#endif
  return value;
}

}  // namespace gemmlab::emulation

// Never fused: what CUDA's _rn functions are for.
GEMMLAB_DEVICE float __fadd_rn(float x, float y) {
  return gemmlab::emulation::opaque(x) + gemmlab::emulation::opaque(y);
}
GEMMLAB_DEVICE float __fsub_rn(float x, float y) {
  return gemmlab::emulation::opaque(x) - gemmlab::emulation::opaque(y);
}
GEMMLAB_DEVICE float __fmul_rn(float x, float y) {
  return gemmlab::emulation::opaque(x * y);
}
GEMMLAB_DEVICE double __dadd_rn(double x, double y) {
  return gemmlab::emulation::opaque(x) + gemmlab::emulation::opaque(y);
}
GEMMLAB_DEVICE double __dsub_rn(double x, double y) {
  return gemmlab::emulation::opaque(x) - gemmlab::emulation::opaque(y);
}
GEMMLAB_DEVICE double __dmul_rn(double x, double y) {
  return gemmlab::emulation::opaque(x * y);
}

GEMMLAB_DEVICE float __fmaf_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
GEMMLAB_DEVICE double __fma_rn(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
GEMMLAB_DEVICE float __fmaf_ieee_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
GEMMLAB_DEVICE float __fdiv_rn(float x, float y) {
  return x / y;
}
GEMMLAB_DEVICE double __ddiv_rn(double x, double y) {
  return x / y;
}
/// As the card does it, x times an approximate 1/y, so that the last digit may differ; 0 where 1/y is below the normal range.
GEMMLAB_DEVICE float __fdividef(float x, float y) {
  const float size = fabsf(y);
  if (size > 0x1p126F && size <= __FLT_MAX__) return x * 0.0F;
  const double exact = 1.0 / static_cast<double>(y);
  float reciprocal = static_cast<float>(exact);
  if (fabs(static_cast<double>(reciprocal)) > fabs(exact)) reciprocal = nextafterf(reciprocal, 0.0F);
  return gemmlab::emulation::opaque(x * reciprocal);
}
GEMMLAB_DEVICE float fdividef(float x, float y) {
  return __fdividef(x, y);
}
GEMMLAB_DEVICE float __frcp_rn(float x) {
  return 1.0F / x;
}
GEMMLAB_DEVICE double __drcp_rn(double x) {
  return 1.0 / x;
}
GEMMLAB_DEVICE float __fsqrt_rn(float x) {
  return sqrtf(x);
}
GEMMLAB_DEVICE double __dsqrt_rn(double x) {
  return sqrt(x);
}
GEMMLAB_DEVICE double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
GEMMLAB_DEVICE float rsqrtf(float x) {
  return static_cast<float>(rsqrt(static_cast<double>(x)));
}
GEMMLAB_DEVICE float rsqrt(float x) {
  return rsqrtf(x);
}
GEMMLAB_DEVICE float __frsqrt_rn(float x) {
  return rsqrtf(x);
}
GEMMLAB_DEVICE double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
GEMMLAB_DEVICE float rcbrtf(float x) {
  return static_cast<float>(rcbrt(static_cast<double>(x)));
}
GEMMLAB_DEVICE float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}
GEMMLAB_DEVICE double sinpi(double x) {
  return sin(M_PI * x);
}
GEMMLAB_DEVICE double cospi(double x) {
  return cos(M_PI * x);
}
GEMMLAB_DEVICE float sinpif(float x) {
  return static_cast<float>(sinpi(static_cast<double>(x)));
}
GEMMLAB_DEVICE float cospif(float x) {
  return static_cast<float>(cospi(static_cast<double>(x)));
}

// CUDA's own overloads, mixed signs included.
#define GEMMLAB_MIN_MAX(One, Other, Both)                       \
  GEMMLAB_DEVICE Both min(One x, Other y) {                     \
    return static_cast<Both>(x) < static_cast<Both>(y) ? x : y; \
  }                                                             \
  GEMMLAB_DEVICE Both max(One x, Other y) {                     \
    return static_cast<Both>(x) < static_cast<Both>(y) ? y : x; \
  }
#define GEMMLAB_MIN_MAX_OF(Signed)                                   \
  GEMMLAB_MIN_MAX(Signed, Signed, Signed)                            \
  GEMMLAB_MIN_MAX(unsigned Signed, unsigned Signed, unsigned Signed) \
  GEMMLAB_MIN_MAX(Signed, unsigned Signed, unsigned Signed)          \
  GEMMLAB_MIN_MAX(unsigned Signed, Signed, unsigned Signed)
GEMMLAB_MIN_MAX_OF(int)
GEMMLAB_MIN_MAX_OF(long)
GEMMLAB_MIN_MAX_OF(long long)
#undef GEMMLAB_MIN_MAX_OF
#undef GEMMLAB_MIN_MAX
GEMMLAB_DEVICE float min(float x, float y) {
  return fminf(x, y);
}
GEMMLAB_DEVICE float max(float x, float y) {
  return fmaxf(x, y);
}
GEMMLAB_DEVICE double min(double x, double y) {
  return fmin(x, y);
}
GEMMLAB_DEVICE double max(double x, double y) {
  return fmax(x, y);
}
GEMMLAB_DEVICE double min(float x, double y) {
  return fmin(x, y);
}
GEMMLAB_DEVICE double max(float x, double y) {
  return fmax(x, y);
}
GEMMLAB_DEVICE double min(double x, float y) {
  return fmin(x, y);
}
GEMMLAB_DEVICE double max(double x, float y) {
  return fmax(x, y);
}
GEMMLAB_DEVICE unsigned umin(unsigned x, unsigned y) {
  return x < y ? x : y;
}
GEMMLAB_DEVICE unsigned umax(unsigned x, unsigned y) {
  return x < y ? y : x;
}
