// A tile of C in registers, fed from packed copies of A and B that lie in the order in which they are read.
//
// What it buys: 3_blocked.cpp loads and stores C with every four multiplications. Here kRows×kCols elements
// of C stay in vector registers for the whole of an inner block: each vector of B that is loaded meets kRows
// values of A, and each value of A meets two vectors of B, so that the multipliers, not the loads, are the
// limit. Packing costs one pass over A and B and gives contiguous, aligned reads that need no test for edges:
// what lies beyond the matrix is filled with zeros, and only stores to C look at the true size.
//
// The loops, outermost first: panels of columns; blocks of the inner dimension (B is packed here, by all
// threads together); blocks of rows, one thread each (A is packed here); tiles; the inner dimension.

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

namespace {

// GCC's vector types: + and * work on all elements at once, whatever the machine's registers are.
#if defined(__AVX512F__)
constexpr int kWidth = 16, kRows = 14;  // 28 of 32 registers hold C
#elif defined(__AVX__)
constexpr int kWidth = 8, kRows = 6;  // 12 of 16
#else
constexpr int kWidth = 4, kRows = 6;
#endif
constexpr int kCols = 2 * kWidth;
typedef float Vector __attribute__((vector_size(kWidth * sizeof(float))));

constexpr std::int64_t kInnerBlock = 320;        // a strip of B, kInnerBlock×kCols, stays in the L1 cache
constexpr std::int64_t kRowBlock = 16 * kRows;   // a block of A, kRowBlock×kInnerBlock, in the L2 cache
constexpr std::int64_t kColBlock = 128 * kCols;  // the panel of B, kInnerBlock×kColBlock, in the L3 cache

struct AlignedDelete {
  void operator()(float* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using Buffer = std::unique_ptr<float[], AlignedDelete>;

Buffer allocate(std::int64_t count) {
  return Buffer(new (std::align_val_t{64}) float[count]);
}

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// One strip of B, `depth` rows of `cols` ≤ kCols floats, row behind row, filled up with zeros.
void pack_b(const float* b, std::int64_t stride, std::int64_t depth, std::int64_t cols, float* to) {
  for (std::int64_t i = 0; i < depth; ++i, b += stride, to += kCols) {
    std::copy_n(b, cols, to);
    std::fill(to + cols, to + kCols, 0.0f);
  }
}

/// One strip of A, `rows` ≤ kRows rows of `depth` floats, column behind column, filled up with zeros.
void pack_a(const float* a, std::int64_t stride, std::int64_t rows, std::int64_t depth, float* to) {
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t i = 0; i < depth; ++i) to[i * kRows + row] = row < rows ? a[row * stride + i] : 0;
  }
}

/// The tile of C at c: rows×cols of it lie inside. `first`: set it, else add to it.
void tile(const float* a, const float* b, std::int64_t depth, float* c, std::int64_t stride,
          std::int64_t rows, std::int64_t cols, bool first) {
  Vector sums[kRows][2] = {};
  for (std::int64_t i = 0; i < depth; ++i, a += kRows, b += kCols) {
    const Vector b0 = *reinterpret_cast<const Vector*>(b);
    const Vector b1 = *reinterpret_cast<const Vector*>(b + kWidth);
#pragma GCC unroll 16  // the array is kept in registers only where every index is a constant
    for (int row = 0; row < kRows; ++row) {
      sums[row][0] += a[row] * b0;
      sums[row][1] += a[row] * b1;
    }
  }

  alignas(64) float values[kRows][kCols];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    *reinterpret_cast<Vector*>(values[row]) = sums[row][0];
    *reinterpret_cast<Vector*>(values[row] + kWidth) = sums[row][1];
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    float* c_row = c + row * stride;
    for (std::int64_t col = 0; col < cols; ++col) c_row[col] = (first ? 0 : c_row[col]) + values[row][col];
  }
}

/// One piece of the work between two barriers: `rows` rows of A against the strips of `cols` packed columns.
void multiply_block(const float* a, std::int64_t inner, float* packed_a, const float* packed_b, float* c,
                    std::int64_t stride, std::int64_t rows, std::int64_t depth, std::int64_t cols,
                    bool first) {
  for (std::int64_t row = 0; row < rows; row += kRows) {
    pack_a(a + row * inner, inner, std::min<std::int64_t>(kRows, rows - row), depth, packed_a + row * depth);
  }
  for (std::int64_t col = 0; col < cols; col += kCols) {
    for (std::int64_t row = 0; row < rows; row += kRows) {
      tile(packed_a + row * depth, packed_b + col * depth, depth, c + row * stride + col, stride,
           std::min<std::int64_t>(kRows, rows - row), std::min<std::int64_t>(kCols, cols - col), first);
    }
  }
}

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t rows = M, inner = N, cols = K;
  const std::int64_t threads = static_cast<double>(rows) * inner * cols > 1e5 ? omp_get_max_threads() : 1;

  // Every thread gets rows; where there are too few for that, the columns are cut, too.
  const std::int64_t row_step = std::min(kRowBlock, round_up((rows + threads - 1) / threads, kRows));
  const std::int64_t row_blocks = (rows + row_step - 1) / row_step;
  const std::int64_t col_cuts = std::max<std::int64_t>(1, threads / row_blocks);
  const Buffer packed_b = allocate(kInnerBlock * round_up(std::min(kColBlock, cols), kCols));

#pragma omp parallel num_threads(threads)
  {
    const Buffer packed_a = allocate(row_step * kInnerBlock);
    for (std::int64_t col0 = 0; col0 < cols; col0 += kColBlock) {
      const std::int64_t width = std::min(kColBlock, cols - col0);
      const std::int64_t col_step = round_up((width + col_cuts - 1) / col_cuts, kCols);
      for (std::int64_t i0 = 0; i0 < inner; i0 += kInnerBlock) {
        const std::int64_t depth = std::min(kInnerBlock, inner - i0);
        // both loops end with a barrier: B must be packed before it is read, and read before it is replaced
#pragma omp for schedule(static)
        for (std::int64_t col = 0; col < width; col += kCols) {
          pack_b(B + i0 * cols + col0 + col, cols, depth, std::min<std::int64_t>(kCols, width - col),
                 packed_b.get() + col * depth);
        }
#pragma omp for collapse(2) schedule(dynamic)
        for (std::int64_t row = 0; row < rows; row += row_step) {
          for (std::int64_t cut = 0; cut < col_cuts; ++cut) {
            const std::int64_t col = cut * col_step;
            if (col >= width) continue;
            multiply_block(A + row * inner + i0, inner, packed_a.get(), packed_b.get() + col * depth,
                           C + row * cols + col0 + col, cols, std::min(row_step, rows - row), depth,
                           std::min(col_step, width - col), i0 == 0);
          }
        }
      }
    }
  }
}
