#include "cpu/gemm/packed/plan.h"

#include "core/rounding.h"
#include "cpu/gemm/packed/copies.h"
#include "cpu/gemm/packed/strips.h"
#include "cpu/gemm/packed/tile.h"
#include "cpu/gemv/simd.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// A path's name, as it stands in the record, and its function.
struct Path {
  const char* name;
  bool (*multiply)(const Product&, const Slice&);
};
static const Path kDirect = {"direct", multiply_direct};
static const Path kPacked = {"packed", multiply_packed};
static const Path kFewRowsPath = {"few_rows", multiply_few_rows};
// the same loops as packed: its blocks alone are other ones
static const Path kFewColsPath = {"few_columns", multiply_packed};

/// Work of the busiest thread, in multiply-adds: those of its whole tiles, what copying costs beside them, the
/// first touch of each row of B and of C, which lie on pages of their own, and the barrier and the addition where
/// the terms are shared out, too.
static double work_of(const Product& p, int over_m, int over_n, int over_k) {
  constexpr double kCopyingB = 8;
  constexpr double kCopyingA = 2;
  constexpr double kBarrier = 64e3;
  constexpr double kAdding = 64;
  constexpr double kRow = 500;
  const auto rows = static_cast<double>(ceil_div(p.m, over_m));
  const auto cols = static_cast<double>(ceil_div(ceil_div(p.n, kTileCols), over_n) * kTileCols);
  const auto terms = static_cast<double>(ceil_div(p.k, over_k));
  const double adding = over_k == 1 ? 0 : kBarrier + kAdding * rows * cols;
  return (rows * cols + kCopyingB * cols + kCopyingA * rows) * terms + kRow * (rows + terms) + adding;
}

static void share_out(const Product& p, int most, Plan& plan) {
  plan.over_m = plan.over_n = plan.over_k = 1;
  double least = work_of(p, 1, 1, 1);
  const std::int64_t tiles = ceil_div(p.n, kTileCols);
  for (int over_k = 1; over_k <= most; ++over_k) {
    if (over_k > 1 && p.k / over_k < kLeastTermsAPart) break;
    for (int over_m = 1; over_m * over_k <= most && over_m <= p.m; ++over_m) {
      const int left = most / (over_k * over_m);
      const int over_n = left < tiles ? left : static_cast<int>(tiles);
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

static double l2_of(const Machine& machine) {
  return static_cast<double>(machine.l2_bytes > 0 ? machine.l2_bytes : kUnknownL2);
}

static void choose_blocks(std::int64_t terms, const Machine& machine, Plan& plan) {
  const auto l1 = static_cast<double>(machine.l1d_bytes > 0 ? machine.l1d_bytes : kUnknownL1);
  constexpr std::int64_t kLeastKc = 64;
  const auto fitting = static_cast<std::int64_t>(kPanelShareOfL1 * l1 / (sizeof(float) * kTileCols)) / 8 * 8;
  plan.kc = fitting < kLeastKc ? kLeastKc : fitting < kMostKc ? fitting : kMostKc;
  // of few terms a block of B is wide
  const double row_bytes = sizeof(float) * static_cast<double>(terms < plan.kc ? terms : plan.kc);
  const auto tiles = static_cast<std::int64_t>(kBlockShareOfL2 * l2_of(machine) / row_bytes / kTileCols);
  plan.nc = (tiles < 1 ? 1 : tiles) * kTileCols;
}

static std::int64_t few_rows_kc(std::int64_t b_stride, const Machine& machine) {
  if (!share_sets(b_stride)) return kFewRowsKc;
  const auto row_bytes = sizeof(float) * static_cast<double>(b_stride);
  const auto fitting = static_cast<std::int64_t>(kRowsShareOfL2 * l2_of(machine) / row_bytes) / 8 * 8;
  if (fitting < kFewRowsLeastKc) return kFewRowsLeastKc;
  return fitting < kFewRowsKc ? fitting : kFewRowsKc;
}

/// Does a slice of B stay in L2 for all row panels where it lies? Its rows lie on pages of their own, and those a
/// power of two apart share a few sets.
static bool stays_near(std::int64_t rows, std::int64_t cols, std::int64_t terms) {
  return rows <= kTileRows || cols * terms <= kMostFloatsInPlace;
}

/// Is C, of few terms, more than caches keep? The tiles of `packed` ask for it ahead and go along its rows; strips do
/// neither.
static bool writes_far(const Product& p, std::int64_t terms) {
  return terms <= kTermsOfFarC && p.m * p.n > kMostFloatsOfNearC;
}

/// How high the tiles of `packed` are where there are few terms.
static int rows_of_few_terms(const Product& p, const Machine& machine, const Plan& plan) {
  const auto floats = static_cast<double>(ceil_div(p.m, plan.over_m) * ceil_div(p.n, plan.over_n));
  return kPairRows > 0 && floats * sizeof(float) > l2_of(machine) ? kPairRows : kLowTileRows;
}

static const Path& choose_path(const Product& p, const Plan& plan) {
  const std::int64_t rows = ceil_div(p.m, plan.over_m);
  const std::int64_t cols = ceil_div(p.n, plan.over_n);
  const std::int64_t terms = ceil_div(p.k, plan.over_k);
  const double work = static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(terms);
  const bool near = stays_near(rows, cols, terms) && !writes_far(p, terms);
  if (work <= kDirectTerms && near && !p.form.transpose_b && !copies_all_of_a(p)) return kDirect;
  if (cols <= kFewCols) return kFewColsPath;
  if (rows <= kFewRows && plan.threads <= kThreadsOfFewRows && !p.form.transpose_b) return kFewRowsPath;
  return kPacked;
}

bool is_vector_product(const Product& p) {
  const bool plain = !p.form.transpose_a && !p.form.transpose_b && p.form.alpha == 1 && p.form.beta == 0;
  if (!plain) return false;
  if (p.n == 1) return p.form.lda == p.k && p.form.ldb == 1 && p.form.ldc == 1;
  return p.m == 1 && p.form.ldb == p.n;
}

/// One row of C is y = Bᵀ·x for the row x of A, one column y = A·x for the column x of B.
static Plan plan_vector(const Product& p, int threads) {
  const bool one_column = p.n == 1;
  Plan plan{};
  plan.path = "gemv";
  plan.mr = plan.mc = one_column ? 1 : p.m;
  plan.kc = p.k;
  plan.nc = p.n;
  plan.threads = threads;
  plan.over_m = plan.over_n = plan.over_k = 1;
  const bool by_terms = shares_terms(one_column ? p.m : p.k, !one_column, threads);
  (by_terms ? plan.over_k : one_column ? plan.over_m : plan.over_n) = threads;
  return plan;
}

/// Where a thread's part of a direct product can be computed in strips.
static void use_strips(const Product& p, Plan& plan) {
  int first = 0;
  Product parted = p;
  parted.plan = plan;
  const Slice part = slice_of(parted, 0, &first);
  if (!takes_strips(p, part)) return;
  const Tiling tiling = tiling_of(part.row1 - part.row0, part.col1 - part.col0);
  plan.mr = tiling.rows;
  plan.nc = tiling.cols;
  plan.kc = part.k1 - part.k0;
  if (plan.threads == 1) plan.whole = whole_in_strips(p);
}

Plan make_plan(const Product& p, const Machine& machine) {
  Plan plan{};
  const double least = machine.cores <= kFewCores ? kTermsAThreadOfFew : kTermsAThread;
  double most = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) / least;
  if (most > p.threads) most = p.threads;
  if (most > machine.cores) most = machine.cores;
  if (is_vector_product(p)) return plan_vector(p, most < 1 ? 1 : static_cast<int>(most));
  share_out(p, most < 1 ? 1 : static_cast<int>(most), plan);

  const std::int64_t rows = ceil_div(p.m, plan.over_m);
  plan.mc = rows < kMostMc ? rows : kMostMc;
  plan.mr = kTileRows;
  const bool few_cols = ceil_div(p.n, plan.over_n) <= kMostColsOfLowTiles;
  if (share_sets(p.form.lda) && !copies_all_of_a(p) && few_cols) plan.mr = kLowTileRows;
  choose_blocks(ceil_div(p.k, plan.over_k), machine, plan);
  const Path& path = choose_path(p, plan);
  plan.path = path.name;
  if (&path == &kPacked && ceil_div(p.k, plan.over_k) <= kTermsOfFarC) {
    plan.mr = rows_of_few_terms(p, machine, plan);
  }
  const std::int64_t cols = rounded_up(ceil_div(p.n, plan.over_n), kTileCols);
  const bool nearly_fits = static_cast<double>(cols) <= kMostOverNc * static_cast<double>(plan.nc);
  if (&path == &kDirect || nearly_fits) plan.nc = cols;
  if (&path == &kFewColsPath) {
    plan.kc = kFewColsKc;
    plan.nc = rounded_up(kFewCols, kTileCols);
  }
  if (&path == &kDirect) use_strips(p, plan);
  if (&path == &kFewRowsPath) {
    plan.kc = few_rows_kc(p.form.ldb, machine);
    plan.nc = cols;
  }
  return plan;
}

/// Where a part of an extent begins; the first parts are one longer.
static std::int64_t begin_of(std::int64_t extent, int parts, int part) {
  const std::int64_t longer = extent % parts;
  return extent / parts * part + (part < longer ? part : longer);
}

Slice slice_of(const Product& p, int part, int* k_part) {
  const Plan& plan = p.plan;
  const int col_part = part % plan.over_n;
  const int row_part = part / plan.over_n % plan.over_m;
  *k_part = part / plan.over_n / plan.over_m;
  const std::int64_t tiles = ceil_div(p.n, kTileCols);
  Slice s{};
  s.row0 = begin_of(p.m, plan.over_m, row_part);
  s.row1 = begin_of(p.m, plan.over_m, row_part + 1);
  s.col0 = begin_of(tiles, plan.over_n, col_part) * kTileCols;
  s.col1 = begin_of(tiles, plan.over_n, col_part + 1) * kTileCols;
  if (s.col1 > p.n) s.col1 = p.n;
  s.k0 = begin_of(p.k, plan.over_k, *k_part);
  s.k1 = begin_of(p.k, plan.over_k, *k_part + 1);
  s.c = p.c + s.row0 * p.form.ldc + s.col0;
  s.c_stride = p.form.ldc;
  s.beta = p.form.beta;
  return s;
}

bool multiply_slice(const Product& p, const Slice& s) {
  static const Path* const paths[] = {&kDirect, &kPacked, &kFewRowsPath, &kFewColsPath};
  for (const Path* path : paths) {
    if (__builtin_strcmp(path->name, p.plan.path) == 0) return path->multiply(p, s);
  }
  __builtin_unreachable();  // make_plan names one of them
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
