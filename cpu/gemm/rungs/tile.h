#pragma once

// What cpu.register_blocked and the rungs behind it share: the tile's size, and the rows of a thread. From
// cpu.register_edges on also the tile itself, told where its operands lie, and the two copies. Each rung's file holds
// the loops around them, and what is new in it.

#include <omp.h>

#include "core/rounding.h"
#include "cpu/device/scratch.h"
#include "cpu/device/simd.h"
#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

// The tile: its sums, a row of B and an element of A fit the register file. 6×2 registers and four more of AVX2's and the
// baseline's 16, 12×2 of AVX-512's 32.
#if defined(__AVX512F__)
constexpr int kRows = 12;
constexpr int kVectors = 2;
#elif defined(__aarch64__)
constexpr int kRows = 6;
constexpr int kVectors = 4;
#else
constexpr int kRows = 6;
constexpr int kVectors = 2;
#endif
constexpr int kCols = kVectors * kLanes;

GEMMLAB_INLINE std::int64_t smaller(std::int64_t x, std::int64_t y) {
  return x < y ? x : y;
}

/// Where a tile reads: element (row, term) of A at a[row · a_row + term · a_term], row `term` of B at
/// b + term · b_term.
struct Operands {
  const float* a;
  std::int64_t a_row;
  std::int64_t a_term;
  const float* b;
  std::int64_t b_term;
  std::int64_t depth;  ///< terms
};

/// kRows × kCols sums over `depth` terms, written to C, or added to what stands there. An element of A is spread by the
/// compiler: of broadcast() GCC 12 makes more for the baseline, where cpu.five_loops fell from 37 to 28 GFLOP/s at 1000
/// (Zen 4).
GEMMLAB_INLINE void whole_tile(const Operands& of, float* c, std::int64_t c_row, bool add) {
  Vector sums[kRows][kVectors] = {};
  for (std::int64_t term = 0; term < of.depth; ++term) {
    Vector b_row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) b_row[v] = load(of.b + term * of.b_term + v * kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const float a_value = of.a[row * of.a_row + term * of.a_term];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[row][v] += a_value * b_row[v];
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* to = c + row * c_row + v * kLanes;
      store(to, add ? sums[row][v] + load(to) : sums[row][v]);
    }
  }
}

/// Where the tile of `size` that covers `at` begins: there, or before it where it would reach beyond `count`.
GEMMLAB_INLINE std::int64_t tile_start(std::int64_t at, std::int64_t size, std::int64_t count) {
  return at + size <= count ? at : count - size;
}

/// The tile of C that covers (row, col). One that begins earlier is computed in full like any other, and only
/// what no whole tile covers is kept: cheaper than a loop over single elements.
GEMMLAB_INLINE void cover(const Product& p, std::int64_t row, std::int64_t col, const Operands& of,
                          bool add) {
  const std::int64_t row0 = tile_start(row, kRows, p.m);
  const std::int64_t col0 = tile_start(col, kCols, p.n);
  if (row0 == row && col0 == col) return whole_tile(of, p.c + row * p.n + col, p.n, add);
  float sums[kRows * kCols];
  whole_tile(of, sums, kCols, false);
  for (std::int64_t r = row; r < row0 + kRows; ++r) {
    for (std::int64_t c = col; c < col0 + kCols; ++c) {
      const float sum = sums[(r - row0) * kCols + c - col0];
      p.c[r * p.n + c] = add ? p.c[r * p.n + c] + sum : sum;
    }
  }
}

/// Asks for the lines of C that the tile covers: the first and the last of each row.
GEMMLAB_INLINE void ask_for_c(const Product& p, std::int64_t row, std::int64_t col) {
  const std::int64_t last = smaller(col + kCols, p.n) - 1;
  for (std::int64_t r = row; r < smaller(row + kRows, p.m); ++r) {
    __builtin_prefetch(p.c + r * p.n + col, 1);
    __builtin_prefetch(p.c + r * p.n + last, 1);
  }
}

/// kCols columns of B, `depth` rows one behind another: the order in which a tile reads them.
GEMMLAB_INLINE void copy_b(const float* b, std::int64_t stride, std::int64_t depth, float* to) {
  for (std::int64_t term = 0; term < depth; ++term) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      store(to + term * kCols + v * kLanes, load(b + term * stride + v * kLanes));
  }
}

/// kRows rows of A, the kRows elements of a term side by side: the order in which a tile reads them.
GEMMLAB_INLINE void copy_a(const float* a, std::int64_t stride, std::int64_t depth, float* to) {
  for (std::int64_t term = 0; term < depth; ++term) {
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) to[term * kRows + row] = a[row * stride + term];
  }
}

GEMMLAB_INLINE bool smaller_than_a_tile(const Product& p) {
  return p.m < kRows || p.n < kCols;
}

/// Rows begin to end of a product that is smaller than a tile, an element at a time.
GEMMLAB_INLINE void single_elements(const Product& p, std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      float sum = 0;
      for (std::int64_t term = 0; term < p.k; ++term) sum += p.a[row * p.k + term] * p.b[term * p.n + col];
      p.c[row * p.n + col] = sum;
    }
  }
}

/// Bytes that the order of tiles moves where only a tile's own operands stay near: A for each column of tiles, B for each
/// row of tiles, C once.
GEMMLAB_INLINE double moved_tile_by_tile(const Product& p) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  const auto row_tiles = static_cast<double>(ceil_div(p.m, kRows));
  const auto col_tiles = static_cast<double>(ceil_div(p.n, kCols));
  return 4 * (m * k * col_tiles + k * n * row_tiles + m * n);
}

// Blocks, from cpu.blocked_k on. A panel of B, kDepth × kCols, takes 64 KiB with AVX-512 and half of that with AVX2; a block
// of A, kBlockRows × kDepth, half of an L2 of 1 MiB; a block of B 4 MiB of L3. With fewer terms a panel would fit
// L1, but C is read and written more often: 128, 256, 384, 512 terms gave cpu.blocked_k 84, 96, 99, 99 GFLOP/s at 1000
// on a Zen 4.
constexpr std::int64_t kDepth = 512;
constexpr std::int64_t kBlockRows = 240;
constexpr std::int64_t kBlockCols = 2048;

/// The same with C read and written for each block of terms.
GEMMLAB_INLINE double moved_by_blocks_of_k(const Product& p) {
  const auto elements = static_cast<double>(p.m) * static_cast<double>(p.n);
  return moved_tile_by_tile(p) + 8 * elements * static_cast<double>(ceil_div(p.k, kDepth) - 1);
}

/// A thread's share of the rows: whole tiles, but for the last.
struct Share {
  std::int64_t begin;
  std::int64_t end;
};
GEMMLAB_INLINE Share share_of_rows(const Product& p, std::int64_t mine, std::int64_t count) {
  const std::int64_t tiles = ceil_div(p.m, kRows);
  return {smaller(tiles * mine / count * kRows, p.m), smaller(tiles * (mine + 1) / count * kRows, p.m)};
}

/// Calls `multiply_rows` once per thread with its share of the rows; it returns false where memory for copies lacks.
/// Returns the number of threads.
GEMMLAB_INLINE int rows_over_threads(const Product& p, bool (*multiply_rows)(const Product&, Share)) {
  int threads = 0;
  bool lacking = false;  // in any thread
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const Share rows = share_of_rows(p, omp_get_thread_num(), omp_get_num_threads());
    if (smaller_than_a_tile(p)) {
      single_elements(p, rows.begin, rows.end);
    } else if (rows.begin < rows.end && !multiply_rows(p, rows)) {
#pragma omp atomic write
      lacking = true;
    }
  }
  if (lacking) throw_out_of_memory();
  return threads;
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
