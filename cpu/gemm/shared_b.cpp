#include "cpu/gemm/rungs/block.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// cpu.prefetched with one copy of B for all threads, each of which copies a share of it, instead of one whole copy per
/// thread: 16 threads copied B 16 times, into 16 places of the cache that they share. The price: all wait for
/// each other twice per block.
static int multiply(const Product& p) {
  int threads = 0;
  bool lacking = false;  // of memory, in any thread
  float* b_copy = scratch(0, kDepth * kBlockCols);
  if (b_copy == nullptr) throw_out_of_memory();
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const Share rows = share_of_rows(p, omp_get_thread_num(), omp_get_num_threads());
    float* a_block = scratch(1, kBlockRows * kDepth);
    if (a_block == nullptr) {
#pragma omp atomic write
      lacking = true;
    }
    if (smaller_than_a_tile(p)) {
      single_elements(p, rows.begin, rows.end);
    } else {
      for (std::int64_t col0 = 0; col0 < p.n; col0 += kBlockCols) {
        for (std::int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
          const BlockOfB b{k0, smaller(kDepth, p.k - k0), col0, smaller(col0 + kBlockCols, p.n), b_copy};
#pragma omp barrier  // all must have finished the last block before its copy is overwritten
#pragma omp for schedule(static)
          for (std::int64_t col = b.col0; col < b.col_end; col += kCols) copy_panel(p, b, col);
          if (a_block != nullptr) multiply_block(p, rows, b, a_block, k0 > 0);
        }
      }
    }
  }
  if (lacking) throw_out_of_memory();
  return threads;
}

extern const Method shared_b = {
    .id = "cpu.shared_b",
    .name = "B shared",
    .family = "overlapped",
    .summary = "cpu.prefetched with one copy of each block of B for all threads, made by all",
    .source =
        "Smith, van de Geijn, Smelyanskiy, Hammond and Van Zee, Anatomy of High-Performance Many-Threaded "
        "Matrix Multiplication, 2014",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_by_blocks_of_k,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
