#pragma once

// Floats of 16 bits and pairs of them, for cuda_fp16.h and cuda_bf16.h: each operation is computed in float, or in
// double where a sum is fused, and rounded to the nearest once. One load or store takes a pair as a whole.

#include "cuda_runtime.h"

namespace gemmlab::emulation {

/// x + y of which no rounding to a shorter format tells that it was rounded before: the last bit stands for all that is
/// cut off. x and y hold the sum's parts exactly.
GEMMLAB_DEVICE float sum_for_rounding(double x, double y) {
  const double sum = x + y;
  const double back = sum - x;
  const double error = (x - (sum - back)) + (y - back);
  const auto nearest = static_cast<float>(sum);
  const double rest = sum - static_cast<double>(nearest);
  const double missed = rest != 0 ? rest : error;
  const auto bits = same_bits<std::uint32_t>(nearest);
  if (!(missed != 0) || (bits & 1U) != 0 || !std::isfinite(nearest)) return nearest;
  if (nearest == 0) return missed < 0 ? -same_bits<float>(1U) : same_bits<float>(1U);
  return same_bits<float>((missed > 0) == (nearest > 0) ? bits + 1 : bits - 1);
}

struct HalfFormat {
  static constexpr unsigned kInfinity = 0x7c00;
  static GEMMLAB_DEVICE float widened(unsigned short half) {
    const unsigned sign = (half & 0x8000U) << 16;
    const unsigned rest = half & 0x7fffU;
    if (rest >= kInfinity) return same_bits<float>(sign | 0x7f800000U | (rest & 0x3ffU) << 13);
    // Multiplied by 2^112 the bits mean what they mean in a half, numbers without a leading 1 included.
    return same_bits<float>(sign | same_bits<unsigned>(same_bits<float>(rest << 13) * 0x1p112F));
  }
  static GEMMLAB_DEVICE unsigned short narrowed(float value) {
    const auto bits = same_bits<unsigned>(value);
    const unsigned sign = bits >> 16 & 0x8000U;
    unsigned rest = bits & 0x7fffffffU;
    if (rest > 0x7f800000U) return 0x7fff;
    if (rest >= 0x47800000U) return static_cast<unsigned short>(sign | kInfinity);
    if (rest < 0x38800000U) {  // below 2^-14: adding 1/2 rounds at the last bit of a half
      rest = same_bits<unsigned>(same_bits<float>(rest) + 0.5F) - same_bits<unsigned>(0.5F);
      return static_cast<unsigned short>(sign | rest);
    }
    rest += 0xfffU + (rest >> 13 & 1U) - (112U << 23);
    return static_cast<unsigned short>(sign | rest >> 13);
  }
};

struct Bfloat16Format {
  static constexpr unsigned kInfinity = 0x7f80;
  static GEMMLAB_DEVICE float widened(unsigned short value) {
    return same_bits<float>(static_cast<unsigned>(value) << 16);
  }
  static GEMMLAB_DEVICE unsigned short narrowed(float value) {
    const auto bits = same_bits<unsigned>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
  }
};

template <typename FORMAT>
struct SmallFloat {
  unsigned short __x;

  SmallFloat() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  GEMMLAB_DEVICE SmallFloat(T value) : __x(FORMAT::narrowed(nearest(value))) {}
  GEMMLAB_DEVICE operator float() const { return FORMAT::widened(__x); }

  static GEMMLAB_DEVICE SmallFloat of_bits(unsigned bits) {
    SmallFloat made;
    made.__x = static_cast<unsigned short>(bits);
    return made;
  }
  static GEMMLAB_DEVICE SmallFloat towards_zero(float value) {
    const SmallFloat nearest = value;
    const bool beyond = fabsf(static_cast<float>(nearest)) > fabsf(value);
    return of_bits(nearest.__x - (beyond ? 1U : 0U));
  }
  static GEMMLAB_DEVICE SmallFloat fused(SmallFloat x, SmallFloat y, SmallFloat z) {
    return sum_for_rounding(
        static_cast<double>(static_cast<float>(x)) * static_cast<double>(static_cast<float>(y)),
        static_cast<double>(static_cast<float>(z)));
  }
  static GEMMLAB_DEVICE SmallFloat saturated(float value) { return __saturatef(value); }

  // Friends, so that a number stands for either side as it does in CUDA's own.
#define GEMMLAB_BINARY(name, expression)                                    \
  friend GEMMLAB_DEVICE SmallFloat name(SmallFloat one, SmallFloat other) { \
    [[maybe_unused]] const float x = one;                                   \
    [[maybe_unused]] const float y = other;                                 \
    return expression;                                                      \
  }
  // In double, since a float may be too small for all bits of a product or quotient.
#define GEMMLAB_ARITHMETIC(sign, name, Type)                                              \
  GEMMLAB_BINARY(operator sign, static_cast<Type>(x) sign static_cast<Type>(y))           \
  GEMMLAB_BINARY(name, one sign other)                                                    \
  GEMMLAB_BINARY(name##_rn, one sign other)                                               \
  GEMMLAB_BINARY(name##_sat, saturated(one sign other))                                   \
  friend GEMMLAB_DEVICE SmallFloat& operator sign##=(SmallFloat& one, SmallFloat other) { \
    return one = one sign other;                                                          \
  }
  GEMMLAB_ARITHMETIC(+, __hadd, float)
  GEMMLAB_ARITHMETIC(-, __hsub, float)
  GEMMLAB_ARITHMETIC(*, __hmul, double)
  GEMMLAB_ARITHMETIC(/, __hdiv, double)
  GEMMLAB_BINARY(__hmax, fmaxf(x, y))
  GEMMLAB_BINARY(__hmin, fminf(x, y))
#undef GEMMLAB_ARITHMETIC
#undef GEMMLAB_BINARY
#define GEMMLAB_COMPARISON(sign, name)                                         \
  friend GEMMLAB_DEVICE bool operator sign(SmallFloat one, SmallFloat other) { \
    return static_cast<float>(one) sign static_cast<float>(other);             \
  }                                                                            \
  friend GEMMLAB_DEVICE bool name(SmallFloat one, SmallFloat other) {          \
    return one sign other;                                                     \
  }
  GEMMLAB_COMPARISON(==, __heq)
  GEMMLAB_COMPARISON(!=, __hne)
  GEMMLAB_COMPARISON(<, __hlt)
  GEMMLAB_COMPARISON(<=, __hle)
  GEMMLAB_COMPARISON(>, __hgt)
  GEMMLAB_COMPARISON(>=, __hge)
#undef GEMMLAB_COMPARISON
#define GEMMLAB_UNARY(name, expression)                   \
  friend GEMMLAB_DEVICE SmallFloat name(SmallFloat one) { \
    const float x = one;                                  \
    return expression;                                    \
  }
  GEMMLAB_UNARY(hsqrt, sqrtf(x))
  GEMMLAB_UNARY(hrsqrt, rsqrt(static_cast<double>(x)))
  GEMMLAB_UNARY(hrcp, 1.0F / x)
  GEMMLAB_UNARY(hexp, expf(x))
  GEMMLAB_UNARY(hexp2, exp2f(x))
  GEMMLAB_UNARY(hexp10, exp10f(x))
  GEMMLAB_UNARY(hlog, logf(x))
  GEMMLAB_UNARY(hlog2, log2f(x))
  GEMMLAB_UNARY(hlog10, log10f(x))
  GEMMLAB_UNARY(hsin, sinf(x))
  GEMMLAB_UNARY(hcos, cosf(x))
  GEMMLAB_UNARY(htanh, tanhf(x))
  GEMMLAB_UNARY(hfloor, floorf(x))
  GEMMLAB_UNARY(hceil, ceilf(x))
  GEMMLAB_UNARY(htrunc, truncf(x))
  GEMMLAB_UNARY(hrint, rintf(x))
#undef GEMMLAB_UNARY
  friend GEMMLAB_DEVICE SmallFloat operator+(SmallFloat x) {
    return x;
  }
  friend GEMMLAB_DEVICE SmallFloat operator-(SmallFloat x) {
    return of_bits(x.__x ^ 0x8000U);
  }
  friend GEMMLAB_DEVICE SmallFloat __hneg(SmallFloat x) {
    return -x;
  }
  friend GEMMLAB_DEVICE SmallFloat __habs(SmallFloat x) {
    return of_bits(x.__x & 0x7fffU);
  }
  friend GEMMLAB_DEVICE bool __hisnan(SmallFloat x) {
    return (x.__x & 0x7fffU) > FORMAT::kInfinity;
  }
  friend GEMMLAB_DEVICE int __hisinf(SmallFloat x) {
    return (x.__x & 0x7fffU) != FORMAT::kInfinity ? 0 : (x.__x & 0x8000U) != 0 ? -1 : 1;
  }
  friend GEMMLAB_DEVICE SmallFloat __hfma(SmallFloat x, SmallFloat y, SmallFloat z) {
    return fused(x, y, z);
  }
  friend GEMMLAB_DEVICE SmallFloat __hfma_sat(SmallFloat x, SmallFloat y, SmallFloat z) {
    return saturated(fused(x, y, z));
  }
  friend GEMMLAB_DEVICE SmallFloat __hfma_relu(SmallFloat x, SmallFloat y, SmallFloat z) {
    return __hmax(fused(x, y, z), SmallFloat(0));
  }

 private:
  template <typename T>
  static GEMMLAB_DEVICE float nearest(T value) {
    if constexpr (std::is_same_v<T, double>) {
      return std::isfinite(value) ? sum_for_rounding(value, -0.0) : static_cast<float>(value);
    } else {
      return static_cast<float>(value);
    }
  }
};

template <typename FORMAT>
struct alignas(4) SmallPair {
  using Element = SmallFloat<FORMAT>;
  using Word = unsigned __attribute__((may_alias));
  Element x, y;

  SmallPair() = default;
  GEMMLAB_DEVICE SmallPair(Element low, Element high) : x(low), y(high) {}
  GEMMLAB_DEVICE SmallPair(const SmallPair& other) {
    *reinterpret_cast<Word*>(this) = *reinterpret_cast<const Word*>(&other);
  }
  GEMMLAB_DEVICE SmallPair& operator=(const SmallPair& other) {
    *reinterpret_cast<Word*>(this) = *reinterpret_cast<const Word*>(&other);
    return *this;
  }

#define GEMMLAB_BINARY(name, of_each)                                    \
  friend GEMMLAB_DEVICE SmallPair name(SmallPair one, SmallPair other) { \
    return SmallPair(of_each(one.x, other.x), of_each(one.y, other.y));  \
  }
#define GEMMLAB_ARITHMETIC(sign, name, of_each)                                        \
  GEMMLAB_BINARY(operator sign, of_each)                                               \
  GEMMLAB_BINARY(name, of_each)                                                        \
  GEMMLAB_BINARY(name##_rn, of_each)                                                   \
  GEMMLAB_BINARY(name##_sat, of_each##_sat)                                            \
  friend GEMMLAB_DEVICE SmallPair& operator sign##=(SmallPair& one, SmallPair other) { \
    return one = one sign other;                                                       \
  }
  GEMMLAB_ARITHMETIC(+, __hadd2, __hadd)
  GEMMLAB_ARITHMETIC(-, __hsub2, __hsub)
  GEMMLAB_ARITHMETIC(*, __hmul2, __hmul)
  GEMMLAB_ARITHMETIC(/, __h2div, __hdiv)
  GEMMLAB_BINARY(__hmax2, __hmax)
  GEMMLAB_BINARY(__hmin2, __hmin)
#undef GEMMLAB_ARITHMETIC
#undef GEMMLAB_BINARY
#define GEMMLAB_COMPARISON(name)                                                 \
  friend GEMMLAB_DEVICE SmallPair __h##name##2(SmallPair one, SmallPair other) { \
    return SmallPair(__h##name(one.x, other.x), __h##name(one.y, other.y));      \
  }                                                                              \
  friend GEMMLAB_DEVICE bool __hb##name##2(SmallPair one, SmallPair other) {     \
    return __h##name(one.x, other.x) && __h##name(one.y, other.y);               \
  }
  GEMMLAB_COMPARISON(eq)
  GEMMLAB_COMPARISON(ne)
  GEMMLAB_COMPARISON(lt)
  GEMMLAB_COMPARISON(le)
  GEMMLAB_COMPARISON(gt)
  GEMMLAB_COMPARISON(ge)
#undef GEMMLAB_COMPARISON
#define GEMMLAB_UNARY(name, of_each)                    \
  friend GEMMLAB_DEVICE SmallPair name(SmallPair one) { \
    return SmallPair(of_each(one.x), of_each(one.y));   \
  }
  GEMMLAB_UNARY(operator-, __hneg)
  GEMMLAB_UNARY(__hneg2, __hneg)
  GEMMLAB_UNARY(__habs2, __habs)
  GEMMLAB_UNARY(h2sqrt, hsqrt)
  GEMMLAB_UNARY(h2rsqrt, hrsqrt)
  GEMMLAB_UNARY(h2rcp, hrcp)
  GEMMLAB_UNARY(h2exp, hexp)
  GEMMLAB_UNARY(h2exp2, hexp2)
  GEMMLAB_UNARY(h2log, hlog)
  GEMMLAB_UNARY(h2log2, hlog2)
#undef GEMMLAB_UNARY
  friend GEMMLAB_DEVICE bool operator==(SmallPair one, SmallPair other) {
    return __hbeq2(one, other);
  }
  friend GEMMLAB_DEVICE bool operator!=(SmallPair one, SmallPair other) {
    return __hbne2(one, other);
  }
#define GEMMLAB_FUSED(name, of_each)                                                      \
  friend GEMMLAB_DEVICE SmallPair name(SmallPair one, SmallPair other, SmallPair third) { \
    return SmallPair(of_each(one.x, other.x, third.x), of_each(one.y, other.y, third.y)); \
  }
  GEMMLAB_FUSED(__hfma2, __hfma)
  GEMMLAB_FUSED(__hfma2_sat, __hfma_sat)
  GEMMLAB_FUSED(__hfma2_relu, __hfma_relu)
#undef GEMMLAB_FUSED
  friend GEMMLAB_DEVICE SmallPair __lowhigh2highlow(SmallPair pair) {
    return SmallPair(pair.y, pair.x);
  }
  friend GEMMLAB_DEVICE float __low2float(SmallPair pair) {
    return pair.x;
  }
  friend GEMMLAB_DEVICE float __high2float(SmallPair pair) {
    return pair.y;
  }
};

}  // namespace gemmlab::emulation

#define GEMMLAB_OF_ONE(Result, function, Argument, expression) \
  GEMMLAB_DEVICE Result function(Argument x) {                 \
    return expression;                                         \
  }
#define GEMMLAB_OF_TWO(Result, function, Argument, expression) \
  GEMMLAB_DEVICE Result function(Argument x, Argument y) {     \
    return expression;                                         \
  }

/// The functions whose names hold the name of a format, `half` or `bfloat16`; those of pairs hold it with a 2.
#define GEMMLAB_NAMED_FUNCTIONS(name, Small, Pair)                                                \
  GEMMLAB_OF_ONE(Small, __float2##name, float, x)                                                 \
  GEMMLAB_OF_ONE(Small, __float2##name##_rn, float, x)                                            \
  GEMMLAB_OF_ONE(Small, __float2##name##_rz, float, Small::towards_zero(x))                       \
  GEMMLAB_OF_ONE(Small, __double2##name, double, x)                                               \
  GEMMLAB_OF_ONE(float, __##name##2float, Small, x)                                               \
  GEMMLAB_OF_ONE(Small, __int2##name##_rn, int, static_cast<double>(x))                           \
  GEMMLAB_OF_ONE(Small, __uint2##name##_rn, unsigned, static_cast<double>(x))                     \
  GEMMLAB_OF_ONE(Small, __short2##name##_rn, short, x)                                            \
  GEMMLAB_OF_ONE(Small, __ushort2##name##_rn, unsigned short, x)                                  \
  GEMMLAB_OF_ONE(int, __##name##2int_rn, Small, __float2int_rn(x))                                \
  GEMMLAB_OF_ONE(int, __##name##2int_rz, Small, __float2int_rz(x))                                \
  GEMMLAB_OF_ONE(int, __##name##2int_rd, Small, __float2int_rd(x))                                \
  GEMMLAB_OF_ONE(int, __##name##2int_ru, Small, __float2int_ru(x))                                \
  GEMMLAB_OF_ONE(unsigned, __##name##2uint_rn, Small, __float2uint_rn(x))                         \
  GEMMLAB_OF_ONE(unsigned, __##name##2uint_rz, Small, __float2uint_rz(x))                         \
  GEMMLAB_OF_ONE(unsigned short, __##name##_as_ushort, Small, x.__x)                              \
  GEMMLAB_OF_ONE(short, __##name##_as_short, Small, static_cast<short>(x.__x))                    \
  GEMMLAB_OF_ONE(Small, __ushort_as_##name, unsigned short, Small::of_bits(x))                    \
  GEMMLAB_OF_ONE(Small, __short_as_##name, short, Small::of_bits(static_cast<unsigned short>(x))) \
  GEMMLAB_OF_ONE(Pair, __float2##name##2_rn, float, Pair(x, x))                                   \
  GEMMLAB_OF_TWO(Pair, __floats2##name##2_rn, float, Pair(x, y))                                  \
  GEMMLAB_OF_ONE(Pair, __float22##name##2_rn, float2, Pair(x.x, x.y))                             \
  GEMMLAB_OF_ONE(float2, __##name##22float2, Pair, make_float2(x.x, x.y))                         \
  GEMMLAB_OF_ONE(Pair, __##name##2##name##2, Small, Pair(x, x))                                   \
  GEMMLAB_OF_TWO(Pair, __halves2##name##2, Small, Pair(x, y))                                     \
  GEMMLAB_OF_TWO(Pair, make_##name##2, Small, Pair(x, y))                                         \
  GEMMLAB_OF_ONE(Small, __low2##name, Pair, x.x)                                                  \
  GEMMLAB_OF_ONE(Small, __high2##name, Pair, x.y)                                                 \
  GEMMLAB_OF_ONE(Pair, __low2##name##2, Pair, Pair(x.x, x.x))                                     \
  GEMMLAB_OF_ONE(Pair, __high2##name##2, Pair, Pair(x.y, x.y))                                    \
  GEMMLAB_OF_TWO(Pair, __lows2##name##2, Pair, Pair(x.x, y.x))                                    \
  GEMMLAB_OF_TWO(Pair, __highs2##name##2, Pair, Pair(x.y, y.y))
