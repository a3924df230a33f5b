#include "cpu/gemm/packed/copies.h"

#include "cpu/gemm/packed/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

constexpr int kSide = 4;
// four floats on every isa: a transposition of 4×4 takes 8 shuffles
using Four = float __attribute__((vector_size(16)));
using Lanes = std::int32_t __attribute__((vector_size(16)));  // of two, those of the second from 4 on
using UnalignedFour = float __attribute__((vector_size(16), aligned(4), may_alias));

GEMMLAB_INLINE Four four_at(const float* from) {
  return *reinterpret_cast<const UnalignedFour*>(from);
}
GEMMLAB_INLINE void store_four(float* to, Four value) {
  *reinterpret_cast<UnalignedFour*>(to) = value;
}

/// to[col, row] = factor·from[row, col] for 4×4.
GEMMLAB_INLINE void transpose_4x4(const float* from, std::int64_t from_stride, float factor, float* to,
                                  std::int64_t to_stride) {
  const Four r0 = four_at(from) * factor;
  const Four r1 = four_at(from + from_stride) * factor;
  const Four r2 = four_at(from + 2 * from_stride) * factor;
  const Four r3 = four_at(from + 3 * from_stride) * factor;
  const Four low01 = __builtin_shuffle(r0, r1, Lanes{0, 4, 1, 5});
  const Four high01 = __builtin_shuffle(r0, r1, Lanes{2, 6, 3, 7});
  const Four low23 = __builtin_shuffle(r2, r3, Lanes{0, 4, 1, 5});
  const Four high23 = __builtin_shuffle(r2, r3, Lanes{2, 6, 3, 7});
  store_four(to, __builtin_shuffle(low01, low23, Lanes{0, 1, 4, 5}));
  store_four(to + to_stride, __builtin_shuffle(low01, low23, Lanes{2, 3, 6, 7}));
  store_four(to + 2 * to_stride, __builtin_shuffle(high01, high23, Lanes{0, 1, 4, 5}));
  store_four(to + 3 * to_stride, __builtin_shuffle(high01, high23, Lanes{2, 3, 6, 7}));
}

/// to[col, row] = factor·from[row, col]. A line's width of columns at a time, so that rows a power of two
/// apart, which share few lines of L1, are read whole before they throw each other out.
static void transpose(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t cols,
                      float factor, float* to, std::int64_t to_stride) {
  for (std::int64_t col0 = 0; col0 < cols; col0 += kLineFloats) {
    const std::int64_t col1 = col0 + kLineFloats < cols ? col0 + kLineFloats : cols;
    for (std::int64_t row = 0; row < rows; row += kSide) {
      std::int64_t col = col0;
      for (; row + kSide <= rows && col + kSide <= col1; col += kSide) {
        transpose_4x4(from + row * from_stride + col, from_stride, factor, to + col * to_stride + row,
                      to_stride);
      }
      const std::int64_t row1 = row + kSide < rows ? row + kSide : rows;
      for (; col < col1; ++col) {
        for (std::int64_t i = row; i < row1; ++i)
          to[col * to_stride + i] = from[i * from_stride + col] * factor;
      }
    }
  }
}

void copy_a(const Product& p, std::int64_t row, std::int64_t rows, std::int64_t k, std::int64_t depth,
            float* to, std::int64_t stride) {
  if (p.form.transpose_a) {
    transpose(p.a + k * p.form.lda + row, p.form.lda, depth, rows, p.form.alpha, to, stride);
  } else {
    scale_rows(p.a + row * p.form.lda + k, p.form.lda, rows, depth, p.form.alpha, to, stride);
  }
}

void pack_transposed_b(const Product& p, std::int64_t col, std::int64_t cols, std::int64_t k,
                       std::int64_t depth, float* to) {
  for (std::int64_t panel = 0; panel < cols; panel += kTileCols) {
    const std::int64_t width = cols - panel < kTileCols ? cols - panel : kTileCols;
    const std::int64_t stride = panel_stride(width);
    transpose(p.b + (col + panel) * p.form.ldb + k, p.form.ldb, width, depth, 1, to, stride);
    for (std::int64_t row = 0; width < stride && row < depth; ++row) {
      for (std::int64_t i = width; i < stride; ++i) to[row * stride + i] = 0;
    }
    to += stride * depth;
  }
}

void scale_rows(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t width,
                float factor, float* to, std::int64_t to_stride) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < width; ++i) to[row * to_stride + i] = from[row * from_stride + i] * factor;
  }
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
