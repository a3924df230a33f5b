#include <omp.h>

#include "cpu/method.h"
#include "cpu/packed/slice.h"
#include "cpu/packed/tile.h"
#include "cpu/scratch.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

using Path = void (*)(const Problem&, const Slice&);
static const char kPacked[] = "packed";
static const char kDirect[] = "direct";
static const char kFewRowsPath[] = "few_rows";
static const char kFewColsPath[] = "few_columns";

static std::int64_t up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }
static std::int64_t share(std::int64_t extent, std::int64_t parts) { return (extent + parts - 1) / parts; }

/// Work of the busiest thread, in multiply-adds: those of its whole tiles, what copying costs beside them, and
/// adding up the sums where the terms are shared out, too.
static double work_of(const Problem& p, int over_m, int over_n, int over_k) {
  const auto rows = static_cast<double>(up(share(p.m, over_m), 1));
  const auto cols = static_cast<double>(up(share(p.n, over_n), kTileCols));
  const auto terms = static_cast<double>(share(p.k, over_k));
  const double copying = (8 * cols + 2 * rows) * terms;
  const double adding = over_k == 1 ? 0 : 64e3 + 8 * rows * cols;
  return rows * cols * terms + copying + adding;
}

static void share_out(const Problem& p, int most, Plan& plan) {
  double least = work_of(p, 1, 1, 1);
  plan.over_m = plan.over_n = plan.over_k = 1;
  for (int over_k = 1; over_k <= most; over_k *= 2) {
    if (over_k > 1 && p.k / over_k < 512) break;
    for (int over_m = 1; over_m * over_k <= most && over_m <= p.m; ++over_m) {
      const std::int64_t tiles = share(p.n, kTileCols);
      int over_n = most / over_k / over_m;
      if (over_n > tiles) over_n = static_cast<int>(tiles);
      const double work = work_of(p, over_m, over_n, over_k);
      if (work >= least) continue;
      least = work;
      plan.over_m = over_m;
      plan.over_n = over_n;
      plan.over_k = over_k;
    }
  }
  plan.threads = plan.over_m * plan.over_n * plan.over_k;
}

static Plan make_plan(const Problem& p, const Machine& machine) {
  Plan plan{};
  const double terms = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  double most = terms / kTermsAThread;
  if (most > p.threads) most = p.threads;
  if (most > machine.cores) most = machine.cores;
  share_out(p, most < 1 ? 1 : static_cast<int>(most), plan);

  const std::int64_t l2 = machine.l2_bytes > 0 ? machine.l2_bytes : kUnknownL2;
  plan.mc = share(p.m, plan.over_m);
  if (plan.mc > 4096) plan.mc = 4096;
  const std::int64_t cols = share(p.n, plan.over_n);
  const std::int64_t depth = share(p.k, plan.over_k);
  plan.kc = KCX;
  plan.nc = static_cast<std::int64_t>(kShareOfL2 * static_cast<double>(l2)) /
            (plan.kc * static_cast<std::int64_t>(sizeof(float))) / kTileCols * kTileCols;
  plan.path = kPacked;
  if (plan.mc <= kFewRows) {
    plan.path = kFewRowsPath;
    plan.kc = kFewRowsKc;
    plan.nc = cols;
  } else if (cols <= kFewCols) {
    plan.path = kFewColsPath;
    plan.kc = kFewColsKc;
    plan.nc = kFewCols;
  } else if (static_cast<double>(plan.mc) * cols * depth <= kDirectTerms) {
    plan.path = kDirect;
    plan.nc = cols;
  }
  return plan;
}

static Slice slice_of(const Problem& p, int row_part, int col_part, int k_part) {
  const Plan& plan = p.plan;
  // columns in whole tiles, rows and terms one by one
  const std::int64_t tiles = share(p.n, kTileCols);
  const auto end = [](std::int64_t extent, int parts, int part) {
    return extent / parts * part + (part < extent % parts ? part : extent % parts);
  };
  Slice s{};
  s.row0 = end(p.m, plan.over_m, row_part);
  s.row1 = end(p.m, plan.over_m, row_part + 1);
  s.col0 = end(tiles, plan.over_n, col_part) * kTileCols;
  s.col1 = end(tiles, plan.over_n, col_part + 1) * kTileCols;
  if (s.col1 > p.n) s.col1 = p.n;
  s.k0 = end(p.k, plan.over_k, k_part);
  s.k1 = end(p.k, plan.over_k, k_part + 1);
  s.c = p.c + s.row0 * p.n + s.col0;
  s.c_stride = p.n;
  return s;
}

static void multiply_slice(const Problem& p, const Slice& s) {
  if (p.plan.path == kDirect) {
    multiply_direct(p, s);
  } else if (p.plan.path == kFewRowsPath) {
    multiply_few_rows(p, s);
  } else {
    multiply_packed(p, s);
  }
}

static void add_parts(const Problem& p, const float* parts, int part, int of) {
  const std::int64_t count = p.m * p.n;
  const std::int64_t begin = count / of * part;
  const std::int64_t end = part + 1 == of ? count : count / of * (part + 1);
  for (int other = 1; other < p.plan.over_k; ++other) {
    const float* from = parts + (other - 1) * count;
    for (std::int64_t i = begin; i < end; ++i) p.c[i] += from[i];
  }
}

static int multiply(const Problem& p) {
  const Plan& plan = p.plan;
  if (plan.threads == 1) {
    multiply_slice(p, slice_of(p, 0, 0, 0));
    return 1;
  }
  float* parts = plan.over_k == 1 ? nullptr : scratch(2, (plan.over_k - 1) * p.m * p.n);
  int threads = 0;
#pragma omp parallel num_threads(plan.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp for schedule(static)
    for (int part = 0; part < plan.threads; ++part) {
      const int k_part = part / (plan.over_m * plan.over_n);
      Slice s = slice_of(p, part / plan.over_n % plan.over_m, part % plan.over_n, k_part);
      if (k_part > 0) s.c = parts + (k_part - 1) * p.m * p.n + s.row0 * p.n + s.col0;
      multiply_slice(p, s);
    }
    if (plan.over_k > 1) {
#pragma omp for schedule(static)
      for (int part = 0; part < plan.threads; ++part) add_parts(p, parts, part, plan.threads);
    }
  }
  return threads;
}

extern const Method packed = {
    .id = "cpu.packed",
    .summary = "register tiles over panels of B copied into L2, or in place where copying does not pay; by shape, "
               "caches and threads",
    .source = "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008; Van Zee and van de "
              "Geijn, BLIS, 2015",
    .counterpart = "",
    .threaded = true,
    .blocks = nullptr,
    .block_count = 0,
    .default_block = 0,
    .library_version = "",
    .multiply = multiply,
    .moved_bytes = nullptr,
    .plan = make_plan,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
