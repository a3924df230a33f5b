#pragma once

// The last columns of a strip where they fill half or a quarter of a register, or less: the register then holds two
// terms of 8 columns, or four of 4, those of a column side by side, and they are added up when all are summed. A mask
// would leave the other lanes idle.

#include "cpu/gemm/packed/rows_of_a.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

#if defined(__AVX512F__)

/// The even lanes of x, then those of y; from kFirst = 1 on the odd ones.
template <int kFirst>
GEMMLAB_INLINE Vector every_other(Vector x, Vector y) {
  constexpr int f = kFirst;
  const __m512i lanes = _mm512_setr_epi32(f, 2 + f, 4 + f, 6 + f, 8 + f, 10 + f, 12 + f, 14 + f, 16 + f,
                                          18 + f, 20 + f, 22 + f, 24 + f, 26 + f, 28 + f, 30 + f);
  return _mm512_permutex2var_ps(x, lanes, y);
}
/// Sums of neighbours: those of x, then those of y.
GEMMLAB_INLINE Vector folded(Vector x, Vector y) {
  return added(every_other<0>(x, y), every_other<1>(x, y));
}
/// The first eight lanes of both, by turns.
GEMMLAB_INLINE Vector by_turns(Vector x, Vector y) {
  const __m512i lanes = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  return _mm512_permutex2var_ps(x, lanes, y);
}

/// kCount floats in the first lanes. Of a cast from a narrower register GCC 12 makes moves that take the place of
/// multiply-adds.
template <int kCount>
GEMMLAB_INLINE Vector load_narrow(const float* from) {
  Vector value;
  const auto& all = *reinterpret_cast<const float(*)[kCount]>(from);
  if constexpr (kCount == 8) {
    asm("vmovups %1, %t0" : "=v"(value) : "m"(all));
  } else {
    asm("vmovups %1, %x0" : "=v"(value) : "m"(all));
  }
  return value;
}

/// kFold rows of B, 16 / kFold columns each, as its register holds them.
template <int kFold>
GEMMLAB_INLINE Vector folded_b(const float* b, std::int64_t stride) {
  if constexpr (kFold == 2) {
    return by_turns(load_narrow<8>(b), load_narrow<8>(b + stride));
  } else {
    const auto four = [&](int row) { return load_narrow<4>(b + row * stride); };
    return by_turns(by_turns(four(0), four(2)), by_turns(four(1), four(3)));
  }
}

/// kFold terms of the last columns of a row and of those below it.
template <int kRow, int kK, int kFold, int kRows, int kVectors>
GEMMLAB_INLINE void add_folded(Vector (&sums)[kRows][kVectors], const Rows<kRows>& a, Vector b) {
  Vector& sum = sums[kRow][kVectors - 1];
  sum = fused(element<kRow, kK, kFold>(a), b, sum);
  if constexpr (kRow + 1 < kRows) add_folded<kRow + 1, kK, kFold>(sums, a, b);
}

/// One term of them; the lanes of the other terms stay as they are.
template <int kRow, int kFold, int kRows, int kVectors>
GEMMLAB_INLINE void add_one_of_folded(Vector (&sums)[kRows][kVectors], const Rows<kRows>& a, Vector b) {
  constexpr Mask kLanesOfTerm = kFold == 2 ? 0x5555 : 0x1111;
  Vector& sum = sums[kRow][kVectors - 1];
  sum = _mm512_mask3_fmadd_ps(element<kRow, 0>(a), b, sum, kLanesOfTerm);
  if constexpr (kRow + 1 < kRows) add_one_of_folded<kRow + 1, kFold>(sums, a, b);
}

/// The first 16 / kFold lanes, each followed by kFold - 1 others.
template <int kFold>
GEMMLAB_INLINE Vector spread_out(const float* b) {
  if constexpr (kFold == 2) {
    const Vector x = load_narrow<8>(b);
    return by_turns(x, x);
  } else {
    const Vector x = load_narrow<4>(b);
    const Vector twice = by_turns(x, x);
    return by_turns(twice, twice);
  }
}

/// The kPart-th part of kCount floats, written to `to`.
template <int kPart, int kCount>
GEMMLAB_INLINE void store_part(Vector v, float* to) {
  using Numbers = std::int32_t __attribute__((vector_size(64)));
  constexpr Numbers kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  constexpr Numbers kFromPart = (kLane + kPart * kCount) % kLanes;
  const Vector from_part = __builtin_shuffle(v, kFromPart);
  if constexpr (kCount == 8) {
    _mm256_storeu_ps(to, reinterpret_cast<const __m256&>(from_part));
  } else {
    _mm_storeu_ps(to, reinterpret_cast<const __m128&>(from_part));
  }
}

/// Adds up the terms side by side and writes the last columns of a row and of those below it, `to` those of the row.
/// kFold rows at a time; what stands for one beyond the last is not written.
template <int kRow, int kFold, int kRows, int kVectors>
GEMMLAB_INLINE void store_folded(const Vector (&sums)[kRows][kVectors], float* to, std::int64_t stride) {
  constexpr int kLeft = kRows - kRow;
  constexpr int kCount = kLanes / kFold;
  constexpr int v = kVectors - 1;
  Vector rows = folded(sums[kRow][v], sums[kRow + (kLeft > 1 ? 1 : 0)][v]);
  if constexpr (kFold == 4) {
    constexpr int kThird = kRow + (kLeft > 2 ? 2 : 0);
    rows = folded(rows, folded(sums[kThird][v], sums[kThird + (kLeft > 3 ? 1 : 0)][v]));
  }
  store_part<0, kCount>(rows, to);
  if constexpr (kLeft > 1) store_part<1, kCount>(rows, to + stride);
  if constexpr (kFold == 4 && kLeft > 2) store_part<2, kCount>(rows, to + 2 * stride);
  if constexpr (kFold == 4 && kLeft > 3) store_part<3, kCount>(rows, to + 3 * stride);
  if constexpr (kLeft > kFold) store_folded<kRow + kFold, kFold>(sums, to + kFold * stride, stride);
}

#endif

}  // namespace GEMMLAB_KERNEL_NAMESPACE
