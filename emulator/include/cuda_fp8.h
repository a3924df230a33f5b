#pragma once

// CUDA's floats of 8 bits: __nv_fp8_e4m3 and __nv_fp8_e5m2.

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace gemmlab::emulation {
/// To nearest, ties to even; too large: the largest where it saturates, else infinity or, of e4m3, NaN.
unsigned char fp8_bits(double value, bool e4m3, bool saturates);
float fp8_value(unsigned char bits, bool e4m3);
}  // namespace gemmlab::emulation

GEMMLAB_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturates,
                                                        __nv_fp8_interpretation_t as) {
  return gemmlab::emulation::fp8_bits(x, as == __NV_E4M3, saturates == __NV_SATFINITE);
}
GEMMLAB_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturates,
                                                         __nv_fp8_interpretation_t as) {
  return gemmlab::emulation::fp8_bits(x, as == __NV_E4M3, saturates == __NV_SATFINITE);
}
GEMMLAB_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturates,
                                                             __nv_fp8_interpretation_t as) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(x.x, saturates, as) |
                                           __nv_cvt_float_to_fp8(x.y, saturates, as) << 8);
}

#define GEMMLAB_FP8(Name, E4M3)                                                                         \
  struct Name {                                                                                         \
    __nv_fp8_storage_t __x;                                                                             \
    Name() = default;                                                                                   \
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>                         \
    GEMMLAB_DEVICE explicit Name(T value)                                                               \
        : __x(gemmlab::emulation::fp8_bits(static_cast<double>(value), E4M3, true)) {}                  \
    GEMMLAB_DEVICE explicit Name(half value) : Name(static_cast<float>(value)) {}                       \
    GEMMLAB_DEVICE explicit Name(nv_bfloat16 value) : Name(static_cast<float>(value)) {}                \
    GEMMLAB_DEVICE explicit operator float() const { return gemmlab::emulation::fp8_value(__x, E4M3); } \
    GEMMLAB_DEVICE explicit operator double() const { return static_cast<float>(*this); }               \
    GEMMLAB_DEVICE explicit operator half() const { return static_cast<float>(*this); }                 \
    GEMMLAB_DEVICE explicit operator nv_bfloat16() const { return static_cast<float>(*this); }          \
  };
GEMMLAB_FP8(__nv_fp8_e4m3, true)
GEMMLAB_FP8(__nv_fp8_e5m2, false)
#undef GEMMLAB_FP8
