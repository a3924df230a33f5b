#include "cpu/gemm/matrix/digit_product.h"

#include <omp.h>

#include "cpu/gemm/matrix/blocks.h"
#include "cpu/gemm/matrix/digit_sums.h"
#include "cpu/gemm/matrix/split_digits.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

static std::int64_t panel_bytes(const MatrixWork& work) {
  return ceil_div(work.k, kDigitStep) * kStepBytes;
}

static double* undo_of_b(const MatrixWork& work) {
  return work.undo + rounded_up(work.m, kPanel);
}

/// What all threads have seen.
struct Found {
  DigitRange a;
  DigitRange b;
  bool hold = true;
};

static void widen(DigitRange* all, const DigitRange& one) {
  if (one.least_mean < all->least_mean) all->least_mean = one.least_mean;
  if (one.most_small > all->most_small) all->most_small = one.most_small;
  all->beyond |= one.beyond;
}

static void tell(const DigitRange& a, const DigitRange& b, std::int64_t k, Found* found) {
#pragma omp critical(gemmlab_amx_found)
  {
    widen(&found->a, a);
    widen(&found->b, b);
    // infinite means, of what nobody has read yet, hold
    if (!digits_hold(found->a, found->b, k)) __atomic_store_n(&found->hold, false, __ATOMIC_RELAXED);
  }
}

/// Called by all threads of a team. A panel of A is a task, and some of B: each is read twice, for its scales and
/// for its digits, by one thread. Whoever sees that digits do not hold spares the others the rest.
static void split(const MatrixWork& work, Found* found) {
  const std::int64_t panels_b = ceil_div(work.n, kPanel);
  const std::int64_t at_once = panels_b >= 4 * kMostPanels * work.threads ? kMostPanels : 1;
  const std::int64_t tasks_of_b = ceil_div(panels_b, at_once);
  const std::int64_t tasks = tasks_of_b + ceil_div(work.m, kPanel);
#pragma omp for schedule(dynamic)
  for (std::int64_t task = 0; task < tasks; ++task) {
    if (!__atomic_load_n(&found->hold, __ATOMIC_RELAXED)) continue;
    DigitRange a, b;
    if (task < tasks_of_b) {
      const std::int64_t panel = task * at_once;
      split_columns_into_digits({work.b, work.k, work.n}, panel * kPanel, smaller(at_once, panels_b - panel),
                                work.parts_b + panel * panel_bytes(work), panel_bytes(work),
                                undo_of_b(work) + panel * kPanel, &b);
    } else {
      const std::int64_t panel = task - tasks_of_b;
      split_rows_into_digits({work.a, work.m, work.k}, panel * kPanel,
                             work.parts_a + panel * panel_bytes(work), work.undo + panel * kPanel, &a);
    }
    tell(a, b, work.k, found);
  }
}

/// The sums of digits of a block's panels.
struct BlockSums {
  const MatrixWork& work;
  PendingDigits pending;

  explicit BlockSums(const MatrixWork& of) : work(of) { pending.row = pending.rows = 0; }
  GEMMLAB_TILE void add(BlockSums& sums, const char* a, const char* b, std::int64_t steps, const Place& place,
                        std::int64_t row, std::int64_t col, bool first, const Ahead& ahead) {
    sum_digits(a, b, steps, {sums.work.undo + row, undo_of_b(sums.work) + col}, place, first, ahead,
               &sums.pending);
  }
};

static void multiply_block(const MatrixWork& work, const Block& block) {
  BlockSums sums(work);
  walk_block(work, block, work.blocks.terms / kDigitStep, ceil_div(work.k, kDigitStep), panel_bytes(work),
             sums);
  finish(&sums.pending);
}

bool multiply_by_digits(const MatrixWork& work, MatrixSeen* seen) {
  const Bands bands = cut_into_bands(work);
  Found found;
#pragma omp parallel num_threads(work.threads)
  {
    split(work, &found);
#pragma omp master
    {
      seen->threads = omp_get_num_threads();
      seen->split_s = omp_get_wtime();
    }
    if (found.hold) {
      configure_tiles();
#pragma omp for schedule(dynamic) nowait
      for (std::int64_t index = 0; index < bands.blocks; ++index)
        multiply_block(work, block_at(bands, index, work.n));
      release_tiles();
    }
  }
  return found.hold;
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
