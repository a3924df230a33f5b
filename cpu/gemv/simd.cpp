// Limit: memory. Each element of A is read once and used for one multiply-add; x and y stay in the caches.
// Prediction for 16384 × 16384: 0.95 of the read roof, transposed or not.

#include "cpu/gemv/simd.h"

#include <omp.h>

#include "cpu/call.h"
#include "cpu/device/scratch.h"
#include "cpu/device/simd.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

constexpr int kRows = 4;       ///< of A that share a load of x
constexpr int kSums = 2;       ///< registers of sums per row: with four rows, eight that wait for none
constexpr int kRowsAdded = 8;  ///< transposed: of A that share a load and a store of y
constexpr std::int64_t kColumns = 4096;  ///< transposed: of y, which stay in the L1 cache
constexpr int kMostThreads = 4096;       ///< of the parameter `threads`

/// y[r] = Σ a[r][col]·x[col] for `rows` rows that lie `stride` apart; `rows` is a constant where
/// it is called.
GEMMLAB_INLINE void some_rows(int rows, const float* a, std::int64_t stride, const float* x,
                              std::int64_t cols, float* y) {
  Vector sums[kRows][kSums];
  for (auto& row : sums) {
    for (Vector& sum : row) sum = zero();
  }
  std::int64_t col = 0;
  for (; col + kSums * kLanes <= cols; col += kSums * kLanes) {
#pragma GCC unroll 2
    for (int s = 0; s < kSums; ++s) {
      const Vector part = load(x + col + s * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        sums[r][s] = fused(load(a + r * stride + col + s * kLanes), part, sums[r][s]);
      }
    }
  }
  for (; col < cols; col += kLanes) {
    const Mask rest = first_lanes(cols - col < kLanes ? cols - col : kLanes);
    const Vector part = load_first(x + col, rest);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      sums[r][0] = fused(load_first(a + r * stride + col, rest), part, sums[r][0]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) y[r] = sum_of_lanes(added(sums[r][0], sums[r][1]));
}

static void sum_rows(const float* a, std::int64_t stride, const float* x, std::int64_t rows,
                     std::int64_t cols, float* y) {
  std::int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) some_rows(kRows, a + row * stride, stride, x, cols, y + row);
  for (; row < rows; ++row) some_rows(1, a + row * stride, stride, x, cols, y + row);
}

/// y[col] += Σ x[r]·a[r][col] over `rows` rows, at most kRowsAdded; `rows` is a constant where it is called.
GEMMLAB_INLINE void add_some_rows(int rows, const float* a, std::int64_t stride, const float* x,
                                  std::int64_t cols, float* y) {
  Vector factors[kRowsAdded];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) factors[r] = broadcast(x + r);
  std::int64_t col = 0;
  for (; col + kLanes <= cols; col += kLanes) {
    Vector sum = load(y + col);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) sum = fused(load(a + r * stride + col), factors[r], sum);
    store(y + col, sum);
  }
  if (col == cols) return;
  const Mask rest = first_lanes(cols - col);
  Vector sum = load_first(y + col, rest);
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) sum = fused(load_first(a + r * stride + col, rest), factors[r], sum);
  store_first(y + col, rest, sum);
}

/// y = Σ x[r]·a[r][·]: along the rows of A, so that nothing is read with a stride.
static void sum_columns(const float* a, std::int64_t stride, const float* x, std::int64_t rows,
                        std::int64_t cols, float* y) {
  for (std::int64_t col = 0; col < cols; ++col) y[col] = 0;
  for (std::int64_t col0 = 0; col0 < cols; col0 += kColumns) {
    const std::int64_t width = cols - col0 < kColumns ? cols - col0 : kColumns;
    const float* part = a + col0;
    std::int64_t row = 0;
    for (; row + kRowsAdded <= rows; row += kRowsAdded) {
      add_some_rows(kRowsAdded, part + row * stride, stride, x + row, width, y + col0);
    }
    for (; row < rows; ++row) add_some_rows(1, part + row * stride, stride, x + row, width, y + col0);
  }
}

/// Not transposed: only where elements of y are too few. Transposed: wherever a thread's rows are many more
/// than the threads, because it then reads A in one piece.
bool shares_terms(std::int64_t m, bool transposed, int threads) {
  constexpr std::int64_t kManyRows = 64;
  if (threads == 1) return false;
  return transposed ? m >= kManyRows * threads : m < std::int64_t{kRows} * threads;
}

int multiply_vector(const float* a, const float* x, float* y, std::int64_t m, std::int64_t n, bool transposed,
                    int threads) {
  const bool by_terms = shares_terms(m, transposed, threads);
  const bool over_rows = by_terms == transposed;  // else each thread has columns of A
  const std::int64_t results = transposed ? n : m;
  float* partial[kMostThreads];
  bool out_of_memory = false;
  int took_part = 0;
#pragma omp parallel num_threads(threads)
  {
    const int team = omp_get_num_threads();
    const int index = omp_get_thread_num();
#pragma omp master
    took_part = team;
    const Share rows = over_rows ? share_of(m, team, index, kRows) : Share{0, m};
    const Share cols = over_rows ? Share{0, n} : share_of(n, team, index, kSums * kLanes);
    float* to = by_terms ? scratch(0, results) : y + (transposed ? cols.begin : rows.begin);
    if (to == nullptr) {
#pragma omp atomic write
      out_of_memory = true;
    } else if (transposed) {
      sum_columns(a + rows.begin * n + cols.begin, n, x + rows.begin, rows.end - rows.begin,
                  cols.end - cols.begin, to);
    } else {
      sum_rows(a + rows.begin * n + cols.begin, n, x + cols.begin, rows.end - rows.begin,
               cols.end - cols.begin, to);
    }
    if (by_terms) {
      partial[index] = to;
#pragma omp barrier
      bool lacking;
#pragma omp atomic read
      lacking = out_of_memory;
      const Share mine = share_of(lacking ? 0 : results, team, index, kLanes);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        float sum = 0;
        for (int thread = 0; thread < team; ++thread) sum += partial[thread][i];  // always in this order
        y[i] = sum;
      }
    }
  }
  if (out_of_memory) throw_out_of_memory();
  return took_part;
}

static int run(const Call& call) {
  return multiply_vector(call.in<float>(0), call.in<float>(1), call.out<float>(2), call.dims[0], call.dims[1],
                         call.transposed, call.threads);
}

extern const CallMethod gemv_simd = {
    .id = "cpu.gemv_simd",
    .name = "gemv SIMD",
    .family = "register tiles",
    .summary = "four rows share each load of x; transposed, eight rows each load of y; split by shape",
    .source = "OpenBLAS, sgemv_n and sgemv_t micro-kernels",
    .counterpart = "gpu.gemv_tuned",
    .threaded = true,
    .run = run,
    .elements_per_thread = 1 << 15,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
