#pragma once

// Sums of a tile on their way to C: scaled, rounded once to the result's type, and cut off at the edges. Static functions, as in panels.h.

#include <cstdint>
#include <cstring>

#include "cpu/gemm/typed/panels.h"

namespace gemmlab::cpu {

using SixteenFloats = float __attribute__((vector_size(64)));

using Halves = std::uint16_t __attribute__((vector_size(32)));

// The types of results: 16 of them from and to sums.
struct Int32Result {
  using Element = std::int32_t;
  using Sums = std::int32_t __attribute__((vector_size(64)));
  static constexpr bool kScales = false;
  GEMMLAB_TYPED_INLINE void narrow(const Sums& sums, Element* to) { std::memcpy(to, &sums, sizeof sums); }
};
struct Float32Result {
  using Element = float;
  using Sums = SixteenFloats;
  static constexpr bool kScales = true;
  GEMMLAB_TYPED_INLINE void narrow(const Sums& sums, Element* to) { std::memcpy(to, &sums, sizeof sums); }
  GEMMLAB_TYPED_INLINE void widen(const Element* from, Sums* to) { std::memcpy(to, from, sizeof *to); }
};
struct Bfloat16Result {
  using Element = std::uint16_t;
  using Sums = SixteenFloats;
  static constexpr bool kScales = true;
  /// To nearest, ties to even.
  GEMMLAB_TYPED_INLINE void narrow(const Sums& sums, Element* to) {
    Words bits;
    std::memcpy(&bits, &sums, sizeof bits);
    const Words nearest = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
    const Words kept = sums == sums ? nearest : bits >> 16 | 0x40U;  // of a NaN one
    const Halves halves = __builtin_convertvector(kept, Halves);
    std::memcpy(to, &halves, sizeof halves);
  }
  GEMMLAB_TYPED_INLINE void widen(const Element* from, Sums* to) {
    Halves halves;
    std::memcpy(&halves, from, sizeof halves);
    const Words bits = __builtin_convertvector(halves, Words) << 16;
    std::memcpy(to, &bits, sizeof bits);
  }
};
struct Float16Result {
  using Element = std::uint16_t;
  using Sums = SixteenFloats;
  static constexpr bool kScales = true;
  GEMMLAB_TYPED_INLINE void narrow(const Sums& sums, Element* to) {
#if defined(__AVX512F__)
    Halves halves;
    // rounds to nearest; GCC 12 warns of its own header's intrinsic
    asm("vcvtps2ph $0, %1, %0" : "=v"(halves) : "v"(sums));
    std::memcpy(to, &halves, sizeof halves);
#else
    gemmlab::narrow(ElementType::kFloat16, reinterpret_cast<const float*>(&sums), kLines, to);
#endif
  }
  GEMMLAB_TYPED_INLINE void widen(const Element* from, Sums* to) {
    gemmlab::widen(ElementType::kFloat16, from, kLines, reinterpret_cast<float*>(to));
  }
};

/// The 16×16 sums of 32 bits at `sums`, line by line, become C's elements from (row, col) on, as far as C has them.
using WriteTile = void(const TypedProduct& p, const char* sums, std::int64_t row, std::int64_t col);

template <typename Result>
static void write_tile(const TypedProduct& p, const char* sums, std::int64_t row, std::int64_t col) {
  using Element = typename Result::Element;
  const std::int64_t rows = least(kLines, p.m - row);
  const auto bytes = static_cast<std::size_t>(least(kLines, p.n - col)) * sizeof(Element);
  Element* c = reinterpret_cast<Element*>(p.c) + row * p.form.ldc + col;
  for (std::int64_t line = 0; line < rows; ++line, c += p.form.ldc) {
    typename Result::Sums values;
    std::memcpy(&values, sums + line * kLineBytes, sizeof values);
    Element elements[kLines] = {};
    if constexpr (Result::kScales) {
      values *= p.form.alpha;
      if (p.form.beta != 0) {
        typename Result::Sums before;
        std::memcpy(elements, c, bytes);
        Result::widen(elements, &before);
        values += p.form.beta * before;
      }
    }
    Result::narrow(values, elements);
    if (bytes == sizeof elements) {
      std::memcpy(c, elements, sizeof elements);
    } else {
      std::memcpy(c, elements, bytes);
    }
  }
}

static WriteTile* writer_of(const TypedProduct& p) {
  switch (p.result) {
    case ElementType::kInt32:
      return write_tile<Int32Result>;
    case ElementType::kBfloat16:
      return write_tile<Bfloat16Result>;
    case ElementType::kFloat16:
      return write_tile<Float16Result>;
    default:
      return write_tile<Float32Result>;
  }
}

/// The four tiles of 32×32 sums, row by row, become C's elements.
static inline void write_panel(const TypedProduct& p, WriteTile* write, const char* sums, std::int64_t row,
                               std::int64_t col) {
  for (std::int64_t down = 0; down < kPanel && row + down < p.m; down += kLines) {
    for (std::int64_t right = 0; right < kPanel && col + right < p.n; right += kLines)
      write(p, sums + (down / kLines * 2 + right / kLines) * kTileBytes, row + down, col + right);
  }
}

}  // namespace gemmlab::cpu
