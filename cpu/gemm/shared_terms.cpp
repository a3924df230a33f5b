#include "cpu/gemm/rungs/block.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

// A part of the terms has so many at least: adding its sums up costs as much as that of a few.
constexpr std::int64_t kLeastTerms = 64;

/// Into how many parts the terms go: as many as make the largest thread's work least, and no more. Threads that all have
/// the same number of row tiles need one part.
static std::int64_t parts_of_terms(const Product& p, std::int64_t threads) {
  std::int64_t best = 1;
  double least = 0;
  for (std::int64_t parts = 1; parts <= threads && parts * kLeastTerms <= p.k; ++parts) {
    if (threads % parts != 0) continue;
    const std::int64_t tiles = ceil_div(ceil_div(p.m, kRows), threads / parts);
    const double work = static_cast<double>(tiles) / static_cast<double>(parts);
    // a tenth less at least, for the sums that must be added up then
    if (parts > 1 && work > 0.9 * least) continue;
    best = parts;
    least = work;
  }
  return best;
}

/// What all threads share: the parts of the terms, copies of their blocks of B side by side, and their sums; those of
/// the first part go to C.
struct Parts {
  std::int64_t count;
  std::int64_t terms;  ///< of each, at most
  float* b_copies;
  float* sums;
};

static Parts make_parts(const Product& p, std::int64_t threads) {
  const std::int64_t count = parts_of_terms(p, threads);
  return {count, ceil_div(p.k, count), scratch(0, count * kDepth * kBlockCols),
          scratch(2, (count - 1) * p.m * p.n + 1)};
}

/// The block of B that part `part` has at its terms from `at` on; nothing where it has none left.
static BlockOfB block_of(const Product& p, const Parts& parts, std::int64_t part, std::int64_t at,
                         std::int64_t col0) {
  const std::int64_t k0 = part * parts.terms + at;
  const std::int64_t left = smaller(parts.terms - at, p.k - k0);
  const std::int64_t depth = smaller(kDepth, left > 0 ? left : 0);
  return {k0, depth, col0, smaller(col0 + kBlockCols, p.n), parts.b_copies + part * kDepth * kBlockCols};
}

/// By all threads of a team: the loops of cpu.shared_b, for all parts of the terms at a time.
static void multiply_parts(const Product& p, const Parts& parts, float* a_block) {
  const std::int64_t threads_a_part = omp_get_num_threads() / parts.count;
  const std::int64_t part = omp_get_thread_num() / threads_a_part;
  const Share rows = share_of_rows(p, omp_get_thread_num() % threads_a_part, threads_a_part);
  Product mine = p;
  if (part > 0) mine.c = parts.sums + (part - 1) * p.m * p.n;
  for (std::int64_t col0 = 0; col0 < p.n; col0 += kBlockCols) {
    const std::int64_t panels = ceil_div(smaller(kBlockCols, p.n - col0), kCols);
    for (std::int64_t at = 0; at < parts.terms; at += kDepth) {
#pragma omp barrier  // all must have finished the last block before its copy is overwritten
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < parts.count * panels; ++i) {
        copy_panel(p, block_of(p, parts, i / panels, at, col0), col0 + i % panels * kCols);
      }
      const BlockOfB b = block_of(p, parts, part, at, col0);
      if (a_block != nullptr && (b.depth > 0 || at == 0)) multiply_block(mine, rows, b, a_block, at > 0);
    }
  }
#pragma omp barrier  // all sums must be there
  for (std::int64_t other = 1; other < parts.count; ++other) {
    const float* from = parts.sums + (other - 1) * p.m * p.n;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < p.m * p.n; ++i) p.c[i] += from[i];
  }
}

/// cpu.shared_b with threads over the terms, too, where there are too few row tiles for all: each part of the terms is
/// summed beside C, by threads of its own, and added to C at the end.
static int multiply(const Product& p) {
  int threads = 0;
  bool lacking = false;  // of memory, in any thread
  Parts parts{};
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp single
    {
      threads = omp_get_num_threads();
      parts = make_parts(p, threads);
      lacking = parts.b_copies == nullptr || parts.sums == nullptr;
    }
    const bool none = lacking;
    float* a_block = scratch(1, kBlockRows * kDepth);
#pragma omp barrier  // all must have read `lacking` before one sets it
    if (a_block == nullptr) {
#pragma omp atomic write
      lacking = true;
    }
    if (smaller_than_a_tile(p)) {
      const Share rows = share_of_rows(p, omp_get_thread_num(), omp_get_num_threads());
      single_elements(p, rows.begin, rows.end);
    } else if (!none) {
      multiply_parts(p, parts, a_block);
    }
  }
  if (lacking) throw_out_of_memory();
  return threads;
}

extern const Method shared_terms = {
    .id = "cpu.shared_terms",
    .name = "terms shared",
    .family = "overlapped",
    .summary = "cpu.shared_b with threads over the inner dimension, too, where rows are too few for all",
    .source =
        "Smith, van de Geijn, Smelyanskiy, Hammond and Van Zee, Anatomy of High-Performance Many-Threaded "
        "Matrix Multiplication, 2014; "
        "Demmel et al., Communication-Optimal Parallel Recursive Rectangular Matrix Multiplication, 2013",
    .threaded = true,
    .multiply = multiply,
    .moved_bytes = moved_by_blocks_of_k,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
