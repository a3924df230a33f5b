#include <omp.h>

#include "cpu/device/scratch.h"
#include "cpu/gemm/method.h"
#include "cpu/gemm/packed/plan.h"
#include "cpu/gemv/simd.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Adds a thread's share of the sums that the other parts of the terms left beside C.
static void add_parts(const Product& p, const float* parts, int part) {
  const std::int64_t count = p.m * p.n;
  const std::int64_t begin = count / p.plan.threads * part;
  const std::int64_t end = part + 1 == p.plan.threads ? count : count / p.plan.threads * (part + 1);
  for (int other = 1; other < p.plan.over_k; ++other) {
    const float* from = parts + (other - 1) * count;
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t to_row_end = p.n - i % p.n;
      const std::int64_t width = to_row_end < end - i ? to_row_end : end - i;
      float* c = p.c + i / p.n * p.form.ldc + i % p.n;
      for (std::int64_t j = 0; j < width; ++j) c[j] += from[i + j];
      i += width;
    }
  }
}

/// Each thread multiplies a slice of its own, with copies of its own, and waits for nobody; where the terms
/// are shared out, too, the slices beyond the first lie in an array beside C and are added up at the end.
static int multiply(const Product& p) {
  const Plan& plan = p.plan;
  if (plan.whole != nullptr) return plan.whole(p);
  if (is_vector_product(p)) {
    const bool one_column = p.n == 1;
    return multiply_vector(one_column ? p.a : p.b, one_column ? p.b : p.a, p.c, one_column ? p.m : p.k,
                           one_column ? p.k : p.n, !one_column, plan.threads);
  }
  int first = 0;
  if (plan.threads == 1) {
    if (!multiply_slice(p, slice_of(p, 0, &first))) throw_out_of_memory();
    return 1;
  }
  float* parts = plan.over_k == 1 ? nullptr : scratch(2, (plan.over_k - 1) * p.m * p.n);
  if (plan.over_k > 1 && parts == nullptr) throw_out_of_memory();
  int threads = 0;
  bool lacking = false;  // of memory, in any thread
#pragma omp parallel num_threads(plan.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    // a loop: where the system gives fewer threads than were asked for, each does more
#pragma omp for schedule(static) nowait
    for (int part = 0; part < plan.threads; ++part) {
      int k_part = 0;
      Slice s = slice_of(p, part, &k_part);
      if (k_part > 0) {
        s.c = parts + (k_part - 1) * p.m * p.n + s.row0 * p.n + s.col0;
        s.c_stride = p.n;
        s.beta = 0;
      }
      if (!multiply_slice(p, s)) {
#pragma omp atomic write
        lacking = true;
      }
    }
    if (plan.over_k > 1) {
#pragma omp barrier
#pragma omp for schedule(static) nowait
      for (int part = 0; part < plan.threads; ++part) add_parts(p, parts, part);
    }
  }
  if (lacking) throw_out_of_memory();
  return threads;
}

extern const Method packed = {
    .id = "cpu.packed",
    .name = "packed",
    .family = "best",
    .summary =
        "register tiles over panels of B copied into L2, or in place where copies do not pay; blocks by the "
        "caches, threads by the shape",
    .source =
        "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008; Van Zee and van de "
        "Geijn, BLIS: A Framework for Rapidly Instantiating BLAS Functionality, 2015",
    .counterpart = "gpu.register_tiled",
    .threaded = true,
    .multiply = multiply,
    .plan = make_plan,
    .takes_forms = true,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
