#include "cpu/gemm/packed/strips.h"

#include "core/rounding.h"
#include "cpu/gemm/packed/copies.h"
#include "cpu/simd.h"

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

/// Where a row of A lies: one pointer in every eight rows, and four strides, which x86 itself takes once, twice
/// or four times. Told to the compiler, it would make a pointer a row, more than there are registers.
template <int kRows>
struct Rows {
  static constexpr int kEight = (kRows + 7) / 8;
  const float* base[kEight];
  std::int64_t stride[4];  ///< once, three, five and seven times, in bytes
};

/// What a row is beyond the eighth before it: `times` one of the strides.
struct Beyond {
  int stride;
  int times;
};
constexpr Beyond kBeyond[8] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {0, 4}, {2, 1}, {1, 2}, {3, 1}};

/// The element k of a row, spread over a register.
template <int kRow, int kK, int kRows>
GEMMLAB_INLINE Vector element(const Rows<kRows>& a) {
  Vector value;
  const float* base = a.base[kRow / 8];
  const auto& all = *reinterpret_cast<const float(*)[]>(base);
  if constexpr (kRow % 8 == 0) {
    asm("vbroadcastss %c2(%1), %0" : "=v"(value) : "r"(base), "n"(kK * 4), "m"(all));
  } else {
    constexpr Beyond kPart = kBeyond[kRow % 8];
    asm("vbroadcastss %c4(%1,%2,%c3), %0"
        : "=v"(value)
        : "r"(base), "r"(a.stride[kPart.stride]), "n"(kPart.times), "n"(kK * 4), "m"(all));
  }
  return value;
}

/// sum + x·(the element k of a row).
template <int kRow, int kK, int kRows>
GEMMLAB_INLINE Vector fused_element(Vector x, const Rows<kRows>& a, Vector sum) {
#if defined(__AVX512F__)
  // spread while it is read
  const float* base = a.base[kRow / 8];
  const auto& all = *reinterpret_cast<const float(*)[]>(base);
  if constexpr (kRow % 8 == 0) {
    asm("vfmadd231ps %c3(%2)%{1to16%}, %1, %0" : "+v"(sum) : "v"(x), "r"(base), "n"(kK * 4), "m"(all));
  } else {
    constexpr Beyond kPart = kBeyond[kRow % 8];
    asm("vfmadd231ps %c5(%2,%3,%c4)%{1to16%}, %1, %0"
        : "+v"(sum)
        : "v"(x), "r"(base), "r"(a.stride[kPart.stride]), "n"(kPart.times), "n"(kK * 4), "m"(all));
  }
  return sum;
#else
  return fused(x, element<kRow, kK>(a), sum);
#endif
}

/// One term of the sums of a row and of those below it.
template <int kRow, int kK, int kRows, int kVectors>
GEMMLAB_INLINE void add_rows(Vector (&sums)[kRows][kVectors], const Rows<kRows>& a,
                             const Vector (&b_row)[kVectors]) {
  if constexpr (kVectors == 1) {
    sums[kRow][0] = fused_element<kRow, kK>(b_row[0], a, sums[kRow][0]);
  } else {
    const Vector a_value = element<kRow, kK>(a);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[kRow][v] = fused(a_value, b_row[v], sums[kRow][v]);
  }
  if constexpr (kRow + 1 < kRows) add_rows<kRow + 1, kK>(sums, a, b_row);
}

/// kTerms terms of each sum, from kK on.
template <int kK, int kTerms, bool kMasked, int kRows, int kVectors>
GEMMLAB_INLINE void add_terms(Vector (&sums)[kRows][kVectors], const Rows<kRows>& a, const float*& b,
                              std::int64_t b_stride, Mask mask) {
  Vector b_row[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const float* from = b + v * kLanes;
    b_row[v] = kMasked && v == kVectors - 1 ? load_first(from, mask) : load(from);
  }
  b += b_stride;
  add_rows<0, kK>(sums, a, b_row);
  if constexpr (kK + 1 < kTerms) add_terms<kK + 1, kTerms, kMasked>(sums, a, b, b_stride, mask);
}

/// kRows rows of C, and all of its columns: kVectors registers, the last of them a part of one if kMasked.
template <int kRows, int kVectors, bool kMasked>
__attribute__((noinline)) static void multiply_rows(const Product& p, const float* first, float* c) {
  const Mask mask = first_lanes(kMasked ? p.n - (kVectors - 1) * kLanes : 0);
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
    add_terms<0, kTermsOfRound, kMasked>(sums, a, b, b_stride, mask);
#pragma GCC unroll 4
    for (auto& base : a.base) base += kTermsOfRound;
  }
  for (; left > 0; --left) {
    add_terms<0, 1, kMasked>(sums, a, b, b_stride, mask);
#pragma GCC unroll 4
    for (auto& base : a.base) ++base;
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      if (kMasked && v == kVectors - 1) {
        store_first(c + v * kLanes, mask, sums[row][v]);
      } else {
        store(c + v * kLanes, sums[row][v]);
      }
    }
    c += c_stride;
  }
}

/// A strip: row panels of kRows, or of one row less, so that none is much lower than the others.
template <int kRows, int kVectors, bool kMasked>
static int multiply_strip(const Product& p) {
  const std::int64_t panels = (p.m + kRows - 1) / kRows;
  const std::int64_t higher = p.m - panels * (kRows - 1);
  const float* a = p.a;
  float* c = p.c;
  for (std::int64_t panel = 0; panel < higher; ++panel) {
    multiply_rows<kRows, kVectors, kMasked>(p, a, c);
    a += kRows * p.form.lda;
    c += kRows * p.form.ldc;
  }
  if constexpr (kRows > 1) {
    for (std::int64_t panel = higher; panel < panels; ++panel) {
      multiply_rows<kRows - 1, kVectors, kMasked>(p, a, c);
      a += (kRows - 1) * p.form.lda;
      c += (kRows - 1) * p.form.ldc;
    }
  }
  return 1;
}

/// By registers of columns, whether the last is a part of one, and rows of a panel.
struct Kernels {
  Kernel of[kMostVectors][2][kMostRows[1]];
};

template <int kVectors, int kRows>
static constexpr void enter(Kernels& kernels) {
  kernels.of[kVectors - 1][0][kRows - 1] = multiply_strip<kRows, kVectors, false>;
  kernels.of[kVectors - 1][1][kRows - 1] = multiply_strip<kRows, kVectors, true>;
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

/// Of a product that is one strip.
static Kernel kernel_of(const Product& p) {
  static constexpr Kernels kKernels = all_kernels();
  const Tiling tile = tiling_of(p.m, p.n);
  return kKernels.of[tile.cols / kLanes - 1][p.n % kLanes != 0][tile.rows - 1];
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
