#include "cpu/gemm/packed/strips.h"

#include "core/rounding.h"
#include "cpu/device/simd.h"
#include "cpu/gemm/packed/copies.h"
#include "cpu/gemm/packed/folded.h"
#include "cpu/gemm/packed/rows_of_a.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

#if defined(__AVX512F__) || defined(__AVX2__)

// A tile is kMostRows[v] × v sums at most: v registers of B and an element of A must fit beside them. The
// fewer rows, the more of B's registers each element of A is used for.
#if defined(__AVX512F__)
constexpr int kMostVectors = 4;
constexpr int kMostRows[kMostVectors + 1] = {0, 16, 14, 9, 6};
#else
constexpr int kMostVectors = 2;
constexpr int kMostRows[kMostVectors + 1] = {0, 12, 6};
#endif
constexpr int kTermsOfRound = 4;

// With more, B's strip has left L1 when the next row panel reads it, and its rows, a stride apart, share sets.
constexpr std::int64_t kMostTermsOfStrips = 512;

/// How a strip's last columns lie in registers: kHalf and kQuarter as folded.h has it, kTermsOfLast terms a register.
enum class Last { kWhole, kMasked, kHalf, kQuarter };
constexpr int kTermsOfLast[] = {1, 1, 2, 4};

/// One term of the sums of a row and of those below it, in the first kUsed registers. An element that is read and
/// spread by the multiply-add itself costs a read for each of them, one that is spread beforehand an instruction.
template <int kRow, int kK, int kUsed, int kRows, int kVectors>
GEMMLAB_INLINE void add_rows(Vector (&sums)[kRows][kVectors], const Rows<kRows>& a,
                             const Vector (&b_row)[kVectors]) {
  // beside folded columns, every other row: half as many broadcasts, and no more reads than two a cycle
  constexpr bool kMixed = kUsed == 2 && kVectors == 3;
  if constexpr (kUsed == 1 || (kMixed && kRow % 2 == 1)) {
#pragma GCC unroll 4
    for (int v = 0; v < kUsed; ++v) sums[kRow][v] = fused_element<kRow, kK>(b_row[v], a, sums[kRow][v]);
  } else {
    const Vector a_value = element<kRow, kK>(a);
#pragma GCC unroll 4
    for (int v = 0; v < kUsed; ++v) sums[kRow][v] = fused(a_value, b_row[v], sums[kRow][v]);
  }
  if constexpr (kRow + 1 < kRows) add_rows<kRow + 1, kK, kUsed>(sums, a, b_row);
}

/// kTerms terms of each sum, from kK on. The last register of B begins `last` floats after the first.
template <int kK, int kTerms, Last kLast, int kRows, int kVectors>
GEMMLAB_INLINE void add_terms(Vector (&sums)[kRows][kVectors], const Rows<kRows>& a, const float*& b,
                              std::int64_t b_stride, std::int64_t last, Mask mask) {
  constexpr int kFolded = kTermsOfLast[static_cast<int>(kLast)];
  constexpr int kWhole = kFolded == 1 ? kVectors : kVectors - 1;
#if defined(__AVX512F__)
  if constexpr (kFolded > 1) {
    if constexpr (kTerms == 1) {
      add_one_of_folded<0, kFolded>(sums, a, spread_out<kFolded>(b + last));
    } else if constexpr (kK % kFolded == 0) {
      add_folded<0, kK, kFolded>(sums, a, folded_b<kFolded>(b + last, b_stride));
    }
  }
#endif
  if constexpr (kWhole > 0) {
    Vector b_row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kWhole; ++v) {
      const float* from = b + (v == kVectors - 1 ? last : v * kLanes);
      b_row[v] = kLast == Last::kMasked ? load_first(from, mask) : load(from);
    }
    add_rows<0, kK, kWhole>(sums, a, b_row);
  }
  b += b_stride;
  if constexpr (kK + 1 < kTerms) add_terms<kK + 1, kTerms, kLast>(sums, a, b, b_stride, last, mask);
}

/// kRows rows of C, and all of its columns: kVectors registers. The last of them is moved back so that it ends with
/// the row; what the one before it has, too, is computed twice. A single register of columns is masked instead.
template <int kRows, int kVectors, Last kLast>
__attribute__((noinline)) static void multiply_rows(const Product& p, const float* first, float* c) {
  constexpr int kFolded = kTermsOfLast[static_cast<int>(kLast)];
  const Mask mask = first_lanes(kLast == Last::kMasked ? p.n : 0);
  const std::int64_t last = kLast == Last::kMasked ? 0 : p.n - kLanes / kFolded;
  Vector sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[row][v] = zero();
  }
  Rows<kRows> a;
#pragma GCC unroll 4
  for (int odd = 0; odd < 4; ++odd)
    a.stride[odd] = (2 * odd + 1) * p.form.lda * static_cast<std::int64_t>(sizeof(float));
#pragma GCC unroll 4
  for (int eight = 0; eight < Rows<kRows>::kEight; ++eight) a.base[eight] = first + 8 * eight * p.form.lda;
  const std::int64_t b_stride = p.form.ldb;
  const std::int64_t c_stride = p.form.ldc;
  const float* b = p.b;
  std::int64_t left = p.k;
  for (; left >= kTermsOfRound; left -= kTermsOfRound) {
    add_terms<0, kTermsOfRound, kLast>(sums, a, b, b_stride, last, mask);
#pragma GCC unroll 4
    for (auto& base : a.base) base += kTermsOfRound;
  }
  for (; left > 0; --left) {
    add_terms<0, 1, kLast>(sums, a, b, b_stride, last, mask);
#pragma GCC unroll 4
    for (auto& base : a.base) ++base;
  }
#if defined(__AVX512F__)
  if constexpr (kFolded > 1) store_folded<0, kFolded>(sums, c + last, c_stride);
#endif
  constexpr int kWhole = kFolded == 1 ? kVectors : kVectors - 1;
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kWhole; ++v) {
      float* to = c + (v == kVectors - 1 ? last : v * kLanes);
      if (kLast == Last::kMasked) {
        store_first(to, mask, sums[row][v]);
      } else {
        store(to, sums[row][v]);
      }
    }
    c += c_stride;
  }
}

/// A strip: row panels of kRows, or of one row less, so that none is much lower than the others.
template <int kRows, int kVectors, Last kLast>
static int multiply_strip(const Product& p) {
  const std::int64_t panels = (p.m + kRows - 1) / kRows;
  const std::int64_t higher = p.m - panels * (kRows - 1);
  const float* a = p.a;
  float* c = p.c;
  for (std::int64_t panel = 0; panel < higher; ++panel) {
    multiply_rows<kRows, kVectors, kLast>(p, a, c);
    a += kRows * p.form.lda;
    c += kRows * p.form.ldc;
  }
  if constexpr (kRows > 1) {
    for (std::int64_t panel = higher; panel < panels; ++panel) {
      multiply_rows<kRows - 1, kVectors, kLast>(p, a, c);
      a += (kRows - 1) * p.form.lda;
      c += (kRows - 1) * p.form.ldc;
    }
  }
  return 1;
}

/// By registers of columns, how the last of them lie, and rows of a panel.
struct Kernels {
  Kernel of[kMostVectors][4][kMostRows[1]];
};

template <int kVectors, int kRows>
static constexpr void enter(Kernels& kernels) {
  const auto at = [&](Last last) -> Kernel& {
    return kernels.of[kVectors - 1][static_cast<int>(last)][kRows - 1];
  };
  at(Last::kWhole) = multiply_strip<kRows, kVectors, Last::kWhole>;
  if constexpr (kVectors == 1) at(Last::kMasked) = multiply_strip<kRows, kVectors, Last::kMasked>;
#if defined(__AVX512F__)
  at(Last::kHalf) = multiply_strip<kRows, kVectors, Last::kHalf>;
  at(Last::kQuarter) = multiply_strip<kRows, kVectors, Last::kQuarter>;
#endif
  if constexpr (kRows > 1) {
    enter<kVectors, kRows - 1>(kernels);
  } else if constexpr (kVectors > 1) {
    enter<kVectors - 1, kMostRows[kVectors - 1]>(kernels);
  }
}

static constexpr Kernels all_kernels() {
  Kernels kernels{};
  enter<kMostVectors, kMostRows[kMostVectors]>(kernels);
  return kernels;
}

/// Strips of equal width, give or take a register.
Tiling tiling_of(std::int64_t rows, std::int64_t cols) {
  const std::int64_t vectors = ceil_div(cols, kLanes);
  const std::int64_t widest = ceil_div(vectors, ceil_div(vectors, kMostVectors));
  const std::int64_t most = kMostRows[widest];
  return {ceil_div(rows, ceil_div(rows, most)), widest * kLanes};
}

/// Only AVX-512 has registers so wide that halves of them are worth a way of their own.
static Last last_of(std::int64_t cols) {
  const std::int64_t rest = cols % kLanes;
  if (rest == 0) return Last::kWhole;
#if defined(__AVX512F__)
  if (rest <= 4 && cols >= 4) return Last::kQuarter;
  if (rest <= 8 && cols >= 8) return Last::kHalf;
#endif
  return cols < kLanes ? Last::kMasked : Last::kWhole;
}

/// Of a product that is one strip.
static Kernel kernel_of(const Product& p) {
  static constexpr Kernels kKernels = all_kernels();
  const Tiling tile = tiling_of(p.m, p.n);
  return kKernels.of[tile.cols / kLanes - 1][static_cast<int>(last_of(p.n))][tile.rows - 1];
}

static int multiply_all(const Product& p) {
  Product strip = p;
  for (std::int64_t left = ceil_div(ceil_div(p.n, kLanes), kMostVectors); left > 0; --left) {
    const std::int64_t cols = p.n - (strip.b - p.b);
    strip.n = left == 1 ? cols : ceil_div(ceil_div(cols, kLanes), left) * kLanes;
    kernel_of(strip)(strip);
    strip.b += strip.n;
    strip.c += strip.n;
  }
  return 1;
}

Kernel whole_in_strips(const Product& p) {
  return ceil_div(p.n, kLanes) <= kMostVectors ? kernel_of(p) : multiply_all;
}

bool takes_strips(const Product& p, const Slice& s) {
  if (p.form.transpose_b || copies_all_of_a(p) || s.beta != 0) return false;
  if (s.row1 == s.row0 || s.col1 == s.col0) return false;
  return s.k1 - s.k0 <= kMostTermsOfStrips || p.form.ldb <= kMostVectors * kLanes;
}

void multiply_strips(const Product& p, const Slice& s) {
  Product part = p;
  part.a += s.row0 * p.form.lda + s.k0;
  part.b += s.k0 * p.form.ldb + s.col0;
  part.c = s.c;
  part.form.ldc = s.c_stride;
  part.m = s.row1 - s.row0;
  part.n = s.col1 - s.col0;
  part.k = s.k1 - s.k0;
  multiply_all(part);
}

#else

// an element at a time is what a part of a register costs here
Tiling tiling_of(std::int64_t rows, std::int64_t cols) {
  return {rows, cols};
}
Kernel whole_in_strips(const Product&) {
  return nullptr;
}
bool takes_strips(const Product&, const Slice&) {
  return false;
}
void multiply_strips(const Product&, const Slice&) {}

#endif

}  // namespace GEMMLAB_KERNEL_NAMESPACE
