#include <omp.h>

#include "core/rounding.h"
#include "cpu/device/scratch.h"
#include "cpu/gemm/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

static const std::int64_t kBlocks[] = {16, 32, 64, 128, 256};

static std::int64_t smaller(std::int64_t x, std::int64_t y) {
  return x < y ? x : y;
}

/// Rows of a block, one after another.
static void copy_block(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t cols,
                       float* to) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) to[row * cols + col] = from[row * stride + col];
  }
}

/// C[rows, cols] += A[rows, depth] · B[depth, cols] of two copied blocks, in the order i k j.
static void multiply_block(const float* a, const float* b, float* c, std::int64_t c_stride, std::int64_t rows,
                           std::int64_t depth, std::int64_t cols) {
  for (std::int64_t row = 0; row < rows; ++row) {
    float* __restrict c_row = c + row * c_stride;
    for (std::int64_t k = 0; k < depth; ++k) {
      const float a_value = a[row * depth + k];
      const float* __restrict b_row = b + k * cols;
      for (std::int64_t col = 0; col < cols; ++col) c_row[col] += a_value * b_row[col];
    }
  }
}

/// A thread's rows of C: each block of B is copied once and meets all of them, a block of A at a time. False
/// where memory for the copies lacks.
static bool multiply_rows(const Product& p, std::int64_t row_begin, std::int64_t row_end) {
  float* b_copy = scratch(0, 2 * p.block * p.block);
  if (b_copy == nullptr) return false;
  float* a_copy = b_copy + p.block * p.block;
  for (std::int64_t i = row_begin * p.n; i < row_end * p.n; ++i) p.c[i] = 0;
  for (std::int64_t k0 = 0; k0 < p.k; k0 += p.block) {
    const std::int64_t depth = smaller(p.block, p.k - k0);
    for (std::int64_t col0 = 0; col0 < p.n; col0 += p.block) {
      const std::int64_t cols = smaller(p.block, p.n - col0);
      copy_block(p.b + k0 * p.n + col0, p.n, depth, cols, b_copy);
      for (std::int64_t row0 = row_begin; row0 < row_end; row0 += p.block) {
        const std::int64_t rows = smaller(p.block, row_end - row0);
        copy_block(p.a + row0 * p.k + k0, p.k, rows, depth, a_copy);
        multiply_block(a_copy, b_copy, p.c + row0 * p.n + col0, p.n, rows, depth, cols);
      }
    }
  }
  return true;
}

/// cpu.blocked with the two blocks that meet copied next to each other first, so that no stride of a power
/// of two makes their rows fall on the same few cache sets. The loops are those of cpu.blocked; only the
/// copies are new.
static int multiply(const Product& p) {
  int threads = 0;
  bool lacking = false;  // of memory, in any thread
#pragma omp parallel num_threads(p.threads)
  {
    const int count = omp_get_num_threads();
    const int mine = omp_get_thread_num();
#pragma omp master
    threads = count;
    // whole blocks of rows per thread, as in cpu.blocked
    const std::int64_t row_blocks = ceil_div(p.m, p.block);
    const std::int64_t begin = row_blocks * mine / count * p.block;
    const std::int64_t end = smaller(row_blocks * (mine + 1) / count * p.block, p.m);
    if (begin < end && !multiply_rows(p, begin, end)) {
#pragma omp atomic write
      lacking = true;
    }
  }
  if (lacking) throw_out_of_memory();
  return threads;
}

/// As cpu.blocked: a copy is read and written where it stays near.
static double moved_bytes(const Product& p) {
  const auto blocks = [&](std::int64_t count) { return static_cast<double>(ceil_div(count, p.block)); };
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  // A for each block of columns; B once; C as zeros, then read and written for each block of k
  return 4 * (m * k * blocks(p.n) + k * n + m * n * (2 * blocks(p.k) + 1));
}

extern const Method blocked_packed = {
    .id = "cpu.blocked_packed",
    .name = "blocked, tiles copied",
    .family = "tiles",
    .summary =
        "cpu.blocked with the blocks of A and B copied together before they are used; rows of blocks over "
        "threads",
    .source =
        "Lam, Rothberg and Wolf, The Cache Performance and Optimizations of Blocked Algorithms, 1991 "
        "(copying)",
    .threaded = true,
    .blocks = kBlocks,
    .block_count = sizeof(kBlocks) / sizeof(kBlocks[0]),
    .default_block = 64,
    .multiply = multiply,
    .moved_bytes = moved_bytes,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
