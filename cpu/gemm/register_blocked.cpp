#include <omp.h>

#include "core/rounding.h"
#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

// kRows × kCols sums, a row of B and an element of A fit the register file: 6×2 registers of 8 floats and
// four more of AVX2's 16, the same in half as wide ones for the baseline, 12×2 of AVX-512's 32.
#if defined(__AVX512F__)
constexpr int kRows = 12;
constexpr int kCols = 32;
#elif defined(__AVX2__)
constexpr int kRows = 6;
constexpr int kCols = 16;
#elif defined(__aarch64__)
constexpr int kRows = 6;
constexpr int kCols = 16;
#else
constexpr int kRows = 6;
constexpr int kCols = 8;
#endif
constexpr int kLanes = kCols / 2;
#if defined(__aarch64__)
using Register = float __attribute__((vector_size(16), aligned(4), may_alias));
constexpr int kRegisters = 4;
#else
using Register = float __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));
constexpr int kRegisters = 2;
#endif
constexpr int kWidth = kCols / kRegisters;

/// kRows × kCols elements of C at (row0, col0). All sums stay in registers until they are complete: C is
/// written once, an element of A is used for kCols products and one of B for kRows.
static void whole_tile(const Product& p, std::int64_t row0, std::int64_t col0) {
  Register sums[kRows][kRegisters] = {};
  for (std::int64_t k = 0; k < p.k; ++k) {
    const float* b = p.b + k * p.n + col0;
    Register b_row[kRegisters];
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) b_row[r] = *reinterpret_cast<const Register*>(b + r * kWidth);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const float a_value = p.a[(row0 + row) * p.k + k];
#pragma GCC unroll 4
      for (int r = 0; r < kRegisters; ++r) sums[row][r] += a_value * b_row[r];
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    float* c = p.c + (row0 + row) * p.n + col0;
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) *reinterpret_cast<Register*>(c + r * kWidth) = sums[row][r];
  }
}

/// What no whole tile covers at the right and lower edges, an element at a time.
static void edge(const Product& p, std::int64_t row0, std::int64_t row1, std::int64_t col0,
                 std::int64_t col1) {
  for (std::int64_t row = row0; row < row1; ++row) {
    for (std::int64_t col = col0; col < col1; ++col) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) sum += p.a[row * p.k + k] * p.b[k * p.n + col];
      p.c[row * p.n + col] = sum;
    }
  }
}

/// A tile of C in registers, and nothing else: no cache blocks, no copies. A column of tiles after another,
/// so that kCols columns of B serve all rows while they are near.
static int multiply(const Product& p) {
  int threads = 0;
  const std::int64_t row_tiles = ceil_div(p.m, kRows);
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const std::int64_t count = omp_get_num_threads();
    const std::int64_t mine = omp_get_thread_num();
    const std::int64_t begin = row_tiles * mine / count * kRows;
    const std::int64_t limit = row_tiles * (mine + 1) / count * kRows;
    const std::int64_t end = limit < p.m ? limit : p.m;
    const std::int64_t whole_rows = begin + (end - begin) / kRows * kRows;
    const std::int64_t whole_cols = p.n / kCols * kCols;
    for (std::int64_t col = 0; col < whole_cols; col += kCols) {
      for (std::int64_t row = begin; row < whole_rows; row += kRows) whole_tile(p, row, col);
    }
    edge(p, begin, whole_rows, whole_cols, p.n);
    edge(p, whole_rows, end, 0, p.n);
  }
  return threads;
}

/// A for each column of tiles, B for each row of tiles, C once.
static double moved_bytes(const Product& p) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  const auto row_tiles = static_cast<double>(ceil_div(p.m, kRows));
  const auto col_tiles = static_cast<double>(ceil_div(p.n, kCols));
  return 4 * (m * k * col_tiles + k * n * row_tiles + m * n);
}

extern const Method register_blocked = {
    .id = "cpu.register_blocked",
    .summary = "a tile of C in registers over all of k, no copies; rows of tiles over threads",
    .source =
        "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008 (the inner kernel)",
    .counterpart = "gpu.register_tiled",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_bytes,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
