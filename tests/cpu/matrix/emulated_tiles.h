#pragma once

// The matrix unit's instructions in plain C++, for a build of cpu.matrix that any machine can run: what Intel's
// manual (SDM, volume 2) says of LDTILECFG, TILELOADD, TILESTORED, TILEZERO, TDPBF16PS and TDPBSSD. Of BF16, on a real unit
// 409,600 sums of random numbers of all sizes came out the same to the bit; of FP16 (TDPFP16PS) nobody has seen one. Whatever the unit answers by a fault
// (no configuration) throws.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "core/element_type.h"

#define GEMMLAB_MATRIX_NAMESPACE gemmlab::cpu::emulated_tiles
#define GEMMLAB_TILE static inline __attribute__((always_inline))

namespace GEMMLAB_MATRIX_NAMESPACE {

constexpr int kTileRows = 16;
constexpr int kRowWords = 16;

struct EmulatedTile {
  std::uint32_t words[kTileRows][kRowWords];
};
struct EmulatedUnit {
  bool configured = false;
  EmulatedTile tiles[8] = {};
};

inline EmulatedUnit& unit_of_this_thread() {
  static thread_local EmulatedUnit unit;
  return unit;
}
inline EmulatedTile& tile(int number) {
  EmulatedUnit& unit = unit_of_this_thread();
  if (!unit.configured) throw std::logic_error("a tile was used before its configuration");
  return unit.tiles[number];
}

inline float as_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
/// Zero of the same sign for what lies below the normal range.
inline float flushed(float value) {
  return std::fabs(value) < 0x1p-126F ? std::copysign(0.0F, value) : value;
}

/// x·y + sum, rounded once to nearest; x and y of 8 bits.
inline float fused(float x, float y, float sum) {
  const float product = x * y;  // exact, unless it leaves the normal range
  const float size = std::fabs(product);
  const bool exact = size >= 0x1p-126F && size <= 0x1.fffffep127F;
  return flushed(exact ? product + sum : std::fma(x, y, sum));
}

/// Are all elements zero or of a size whose products and their sums stay in the normal range?
inline bool is_ordinary(const EmulatedTile& tile) {
  constexpr std::uint32_t kLeast = (127 - 40) << 7;
  constexpr std::uint32_t kMost = (127 + 40) << 7;
  const auto ordinary = [](std::uint32_t half) { return half == 0 || (half >= kLeast && half <= kMost); };
  bool all = true;
  for (const auto& row : tile.words) {
    for (const std::uint32_t word : row) all &= ordinary(word & 0x7fffU) & ordinary(word >> 16 & 0x7fffU);
  }
  return all;
}

using Sums = float[kRowWords];

/// Sixteen sums of the products of `a` with a row of b, once as the manual has it and once, for ordinary
/// elements, without asking after each.
inline void add_products(Sums& sums, float a, const Sums& b, bool ordinary) {
  if (ordinary) {
    for (int col = 0; col < kRowWords; ++col) sums[col] += a * b[col];
  } else {
    for (int col = 0; col < kRowWords; ++col) sums[col] = fused(a, b[col], sums[col]);
  }
}

inline void multiply_emulated(EmulatedTile& sum, const EmulatedTile& a, const EmulatedTile& b) {
  Sums b_even[kTileRows];
  Sums b_odd[kTileRows];
  for (int k = 0; k < kTileRows; ++k) {
    for (int col = 0; col < kRowWords; ++col) {
      b_even[k][col] = flushed(as_float(b.words[k][col] << 16));
      b_odd[k][col] = flushed(as_float(b.words[k][col] & 0xffff0000U));
    }
  }
  const bool ordinary = is_ordinary(a) && is_ordinary(b);
  for (int row = 0; row < kTileRows; ++row) {
    Sums even = {};
    Sums odd = {};
    for (int k = 0; k < kTileRows; ++k) {
      add_products(even, flushed(as_float(a.words[row][k] << 16)), b_even[k], ordinary);
      add_products(odd, flushed(as_float(a.words[row][k] & 0xffff0000U)), b_odd[k], ordinary);
    }
    for (int col = 0; col < kRowWords; ++col) {
      const float added = flushed(flushed(as_float(sum.words[row][col])) + flushed(even[col] + odd[col]));
      std::memcpy(&sum.words[row][col], &added, sizeof(added));
    }
  }
}

/// Of FP16 subnormal elements count, too. Products of 11 bits are exact in FP32.
inline void multiply_emulated_halves(EmulatedTile& sum, const EmulatedTile& a, const EmulatedTile& b) {
  float wide_a[kTileRows][kRowWords][2];
  float wide_b[kTileRows][kRowWords][2];
  widen(ElementType::kFloat16, a.words, kTileRows * kRowWords * 2, &wide_a[0][0][0]);
  widen(ElementType::kFloat16, b.words, kTileRows * kRowWords * 2, &wide_b[0][0][0]);
  for (int row = 0; row < kTileRows; ++row) {
    for (int col = 0; col < kRowWords; ++col) {
      float sums[2] = {};
      for (int k = 0; k < kTileRows; ++k) {
        for (int half = 0; half < 2; ++half) sums[half] += wide_a[row][k][half] * wide_b[k][col][half];
      }
      const float added = flushed(flushed(as_float(sum.words[row][col])) + flushed(sums[0] + sums[1]));
      std::memcpy(&sum.words[row][col], &added, sizeof(added));
    }
  }
}

/// Byte `which` of a word, as a signed integer.
inline std::int32_t digit(std::uint32_t word, int which) {
  return static_cast<std::int8_t>(word >> (8 * which) & 0xffU);
}

/// Sums wrap around, as the manual has it.
inline void multiply_emulated_digits(EmulatedTile& sum, const EmulatedTile& a, const EmulatedTile& b) {
  constexpr int kBytes = 4;
  std::int16_t rows[kTileRows][kBytes][kRowWords];
  for (int k = 0; k < kTileRows; ++k) {
    for (int byte = 0; byte < kBytes; ++byte) {
      for (int col = 0; col < kRowWords; ++col)
        rows[k][byte][col] = static_cast<std::int16_t>(digit(b.words[k][col], byte));
    }
  }
  for (int row = 0; row < kTileRows; ++row) {
    for (int k = 0; k < kTileRows; ++k) {
      for (int byte = 0; byte < kBytes; ++byte) {
        const std::int32_t factor = digit(a.words[row][k], byte);
        for (int col = 0; col < kRowWords; ++col)
          sum.words[row][col] += static_cast<std::uint32_t>(factor * rows[k][byte][col]);
      }
    }
  }
}

GEMMLAB_TILE void configure_tiles() {
  unit_of_this_thread().configured = true;
  for (EmulatedTile& each : unit_of_this_thread().tiles) each = {};
}
GEMMLAB_TILE void release_tiles() {
  unit_of_this_thread().configured = false;
}
template <int kTile>
GEMMLAB_TILE void clear_tile() {
  tile(kTile) = {};
}
template <int kTile>
GEMMLAB_TILE void load_tile(const char* from) {
  std::memcpy(tile(kTile).words, from, sizeof(EmulatedTile));
}
template <int kTile>
GEMMLAB_TILE void load_tile_lines(const char* from, std::int64_t stride) {
  for (int row = 0; row < kTileRows; ++row)
    std::memcpy(tile(kTile).words[row], from + row * stride, sizeof(EmulatedTile::words[0]));
}
template <int kTile>
GEMMLAB_TILE void store_tile(void* to) {
  std::memcpy(to, tile(kTile).words, sizeof(EmulatedTile));
}
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_tiles() {
  multiply_emulated(tile(kSum), tile(kA), tile(kB));
}
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_digits() {
  multiply_emulated_digits(tile(kSum), tile(kA), tile(kB));
}
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_halves() {
  multiply_emulated_halves(tile(kSum), tile(kA), tile(kB));
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
