#include <omp.h>

#include "core/rounding.h"
#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

static const std::int64_t kBlocks[] = {16, 32, 64, 128, 256};

/// Half-open ranges of rows, inner indices and columns of one block product.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

static Range block_range(std::int64_t begin, std::int64_t block, std::int64_t limit) {
  return {begin, begin + block < limit ? begin + block : limit};
}

/// C[rows, cols] += A[rows, inner] · B[inner, cols], in the order i k j so that the innermost
/// loop is vectorised.
static void multiply_block(const Product& p, Range rows, Range inner, Range cols) {
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    float* __restrict c_row = p.c + row * p.n;
    for (std::int64_t k0 = inner.begin; k0 < inner.end; ++k0) {
      const float a_value = p.a[row * p.k + k0];
      const float* __restrict b_row = p.b + k0 * p.n;
      for (std::int64_t col = cols.begin; col < cols.end; ++col) c_row[col] += a_value * b_row[col];
    }
  }
}

/// cpu.ikj in block×block×block pieces: a block of B (16 KiB at 64) stays in the nearest cache while all rows
/// of a block of A use it, so that B is read from memory m/block times instead of m. Edges are shorter
/// blocks. Nothing is copied: a block's rows lie n floats apart, and where n is a power of two they fall on
/// few cache sets.
static int multiply(const Product& p) {
  int threads = 0;
  const std::int64_t row_blocks = ceil_div(p.m, p.block);
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (std::int64_t row_block = 0; row_block < row_blocks; ++row_block) {
      const Range rows = block_range(row_block * p.block, p.block, p.m);
      for (std::int64_t i = rows.begin * p.n; i < rows.end * p.n; ++i) p.c[i] = 0;
      for (std::int64_t k0 = 0; k0 < p.k; k0 += p.block) {
        for (std::int64_t col0 = 0; col0 < p.n; col0 += p.block) {
          multiply_block(p, rows, block_range(k0, p.block, p.k), block_range(col0, p.block, p.n));
        }
      }
    }
  }
  return threads;
}

/// A is read for each block of columns, B for each block of rows; C is written as zeros, then read and
/// written for each block of k. Only what a block product works on stays.
static double moved_bytes(const Product& p) {
  const auto blocks = [&](std::int64_t count) { return static_cast<double>(ceil_div(count, p.block)); };
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  return 4 * (m * k * blocks(p.n) + k * n * blocks(p.m) + m * n * (2 * blocks(p.k) + 1));
}

extern const Method blocked = {
    .id = "cpu.blocked",
    .name = "blocked",
    .family = "tiles",
    .summary = "cpu.ikj in square blocks that stay in the cache; rows of blocks over threads",
    .source = "Lam, Rothberg and Wolf, The Cache Performance and Optimizations of Blocked Algorithms, 1991",
    .counterpart = "gpu.tiled",
    .threaded = true,
    .blocks = kBlocks,
    .block_count = sizeof(kBlocks) / sizeof(kBlocks[0]),
    .default_block = 64,
    .multiply = multiply,
    .moved_bytes = moved_bytes,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
