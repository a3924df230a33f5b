#include "cpu/gemm/matrix/product.h"

#include <omp.h>

#include "core/rounding.h"
#include "cpu/gemm/matrix/blocks.h"
#include "cpu/gemm/matrix/digit_product.h"
#include "cpu/gemm/matrix/sums.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

static std::int64_t panel_bytes(const MatrixBlocks& blocks) {
  return blocks.deep / kStep * kStepBytes;
}

/// How the terms from k0 on are multiplied.
struct Pass {
  std::int64_t k0;
  std::int64_t steps;
  PartProducts products;
  Unscale unscale;
};

/// The sums of parts of a block's panels.
struct PartSums {
  const Pass& pass;
  Pending pending;

  explicit PartSums(const Pass& of) : pass(of) { pending.row = pending.rows = 0; }
  GEMMLAB_TILE void add(PartSums& sums, const char* a, const char* b, std::int64_t steps, const Place& place,
                        std::int64_t, std::int64_t, bool first, const Ahead& ahead) {
    sum_panels(a, b, steps, sums.pass.products, sums.pass.unscale, place, sums.pass.k0 == 0 && first, ahead,
               &sums.pending);
  }
};

static void multiply_block(const MatrixWork& work, const Pass& pass, const Block& block) {
  PartSums sums(pass);
  walk_block(work, block, work.blocks.terms / kStep, pass.steps, panel_bytes(work.blocks), sums);
  finish(&sums.pending);
}

/// Of A a panel by so many steps is one thread's task; of B one step of so many panels.
constexpr std::int64_t kStepsATask = 32;
constexpr std::int64_t kPanelsATask = 16;

static void split_task_of_a(const MatrixWork& work, const Pass& pass, float factor, std::int64_t task,
                            Range* seen) {
  const std::int64_t along = ceil_div(pass.steps, kStepsATask);
  const std::int64_t panel = task / along;
  const std::int64_t step = task % along * kStepsATask;
  split_rows({work.a, work.m, work.k}, panel * kPanel, pass.k0 + step * kStep,
             smaller(kStepsATask, pass.steps - step), factor,
             work.parts_a + panel * panel_bytes(work.blocks) + step * kStepBytes, seen);
}

static void split_task_of_b(const MatrixWork& work, const Pass& pass, float factor, std::int64_t task,
                            Range* seen) {
  const std::int64_t panels = ceil_div(work.n, kPanel);
  const std::int64_t across = ceil_div(panels, kPanelsATask);
  const std::int64_t step = task / across;
  const std::int64_t panel = task % across * kPanelsATask;
  split_columns({work.b, work.k, work.n}, pass.k0 + step * kStep, panel * kPanel,
                smaller(kPanelsATask, panels - panel), factor,
                work.parts_b + panel * panel_bytes(work.blocks) + step * kStepBytes, panel_bytes(work.blocks),
                seen);
}

static void widen(Range* all, const Range& one) {
  if (one.most > all->most) all->most = one.most;
  all->not_zero += one.not_zero;
  if (one.least_less_1 < all->least_less_1) all->least_less_1 = one.least_less_1;
}

static void tell(MatrixSeen* seen, const Range& a, const Range& b) {
#pragma omp critical(gemmlab_amx_seen)
  {
    widen(&seen->a, a);
    widen(&seen->b, b);
  }
}

/// Called by all threads of a team: the parts of the terms of a pass.
static void split(const MatrixWork& work, const Pass& pass, const Scales& scales, MatrixSeen* seen) {
  const std::int64_t tasks_of_a = ceil_div(work.m, kPanel) * ceil_div(pass.steps, kStepsATask);
  const std::int64_t tasks_of_b = pass.steps * ceil_div(ceil_div(work.n, kPanel), kPanelsATask);
  const float factor_a = power_of_two(scales.a);
  const float factor_b = power_of_two(scales.b);
  Range a, b;
#pragma omp for schedule(dynamic) nowait
  for (std::int64_t task = 0; task < tasks_of_a; ++task) split_task_of_a(work, pass, factor_a, task, &a);
#pragma omp for schedule(dynamic) nowait
  for (std::int64_t task = 0; task < tasks_of_b; ++task) split_task_of_b(work, pass, factor_b, task, &b);
  tell(seen, a, b);
}

/// After all have split: may the pass be multiplied, and how? The same in every thread.
static bool decide(const MatrixWork& work, const Scales& scales, const MatrixSeen& seen, Pass* pass) {
  const auto terms = static_cast<double>(smaller(pass->k0 + work.blocks.deep, work.k));
  pass->products = part_products(seen.a, static_cast<double>(work.m) * terms, seen.b,
                                 static_cast<double>(work.n) * terms, work.k);
  return holds(seen.a, seen.b, scales, work.k);
}

/// Threads wait for each other once a pass, and once between two.
static bool multiply(const MatrixWork& work, const Scales& scales, MatrixSeen* seen) {
  const Bands bands = cut_into_bands(work);
  bool all_held = true;
#pragma omp parallel num_threads(work.threads)
  {
    configure_tiles();
    Pass pass = {0, 0, PartProducts::kSix, undo(scales)};
    bool held = true;
    for (; held && pass.k0 < work.k; pass.k0 += work.blocks.deep) {
      if (pass.k0 > 0) {
#pragma omp barrier
      }
      pass.steps = ceil_div(smaller(work.blocks.deep, work.k - pass.k0), kStep);
      split(work, pass, scales, seen);
#pragma omp barrier
#pragma omp master
      if (pass.k0 == 0) seen->split_s = omp_get_wtime();
      held = decide(work, scales, *seen, &pass);
      const std::int64_t blocks = held ? bands.blocks : 0;
#pragma omp for schedule(dynamic) nowait
      for (std::int64_t index = 0; index < blocks; ++index)
        multiply_block(work, pass, block_at(bands, index, work.n));
    }
#pragma omp master
    {
      seen->threads = omp_get_num_threads();
      seen->products = pass.products;
      all_held = held;
    }
    release_tiles();
  }
  return all_held;
}

static void look(const MatrixWork& work, MatrixSeen* seen) {
#pragma omp parallel num_threads(work.threads)
  {
    Range a, b;
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 0; row < work.m; ++row) look_at({work.a, work.m, work.k}, row, row + 1, &a);
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 0; row < work.k; ++row) look_at({work.b, work.k, work.n}, row, row + 1, &b);
    tell(seen, a, b);
  }
}

extern const MatrixUnit matrix_unit = {
    .multiply = multiply, .look = look, .multiply_by_digits = multiply_by_digits};

}  // namespace GEMMLAB_MATRIX_NAMESPACE
