#include "cpu/gemm/rungs/block.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// cpu.five_loops, whose tiles ask for their lines of C before their sums, so that these come while the sums are
/// made (ask_for_c in rungs/block.h, which holds the three inner loops). Each row of C lies on a page of its own,
/// where the hardware does not look ahead. Panels of A and B it finds by itself: they are read from end to end.
static bool multiply_rows(const Product& p, Share rows) {
  float* b_block = scratch(0, kDepth * kBlockCols);
  float* a_block = scratch(1, kBlockRows * kDepth);
  if (b_block == nullptr || a_block == nullptr) return false;
  for (std::int64_t col0 = 0; col0 < p.n; col0 += kBlockCols) {
    for (std::int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
      const BlockOfB b{k0, smaller(kDepth, p.k - k0), col0, smaller(col0 + kBlockCols, p.n), b_block};
      for (std::int64_t col = b.col0; col < b.col_end; col += kCols) copy_panel(p, b, col);
      multiply_block(p, rows, b, a_block, k0 > 0);
    }
  }
  return true;
}

static int multiply(const Product& p) {
  return rows_over_threads(p, multiply_rows);
}

extern const Method prefetched = {
    .id = "cpu.prefetched",
    .name = "C prefetched",
    .family = "overlapped",
    .summary = "cpu.five_loops with the lines of C asked for before a tile's sums",
    .source =
        "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008; Intel 64 and IA-32 "
        "Architectures Optimization Reference Manual (software prefetch)",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_by_blocks_of_k,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
