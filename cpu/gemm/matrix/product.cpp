#include "cpu/gemm/matrix/product.h"

#include <omp.h>

#include "core/rounding.h"
#include "cpu/gemm/matrix/parts.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

// Tiles 0 to 3 are the sums of 32×32 elements of C, row by row; 4 and 5 hold A's, 6 and 7 B's.
GEMMLAB_TILE void multiply_four() {
  multiply_tiles<0, 4, 6>();
  multiply_tiles<1, 4, 7>();
  multiply_tiles<2, 5, 6>();
  multiply_tiles<3, 5, 7>();
}
GEMMLAB_TILE void load_a(const char* part) {
  load_tile<4>(part);
  load_tile<5>(part + kTileBytes);
}
GEMMLAB_TILE void load_b(const char* part) {
  load_tile<6>(part);
  load_tile<7>(part + kTileBytes);
}

// The products of a part of A and one of B, by register: each is loaded anew as soon as its last product is
// under way, two products before it is needed.
GEMMLAB_TILE void multiply_and_load_a(const char* next) {
  multiply_tiles<0, 4, 6>();
  multiply_tiles<1, 4, 7>();
  load_tile<4>(next);
  multiply_tiles<2, 5, 6>();
  multiply_tiles<3, 5, 7>();
  load_tile<5>(next + kTileBytes);
}
GEMMLAB_TILE void multiply_and_load_b(const char* next) {
  multiply_tiles<0, 4, 6>();
  multiply_tiles<2, 5, 6>();
  load_tile<6>(next);
  multiply_tiles<1, 4, 7>();
  multiply_tiles<3, 5, 7>();
  load_tile<7>(next + kTileBytes);
}

/// The six products of parts that reach 2⁻¹⁷ of a term, in an order in which one operand changes at a time:
/// 14 tiles are loaded for 24 products, those of the next step at the end.
GEMMLAB_TILE void multiply_six(const char* a, const char* b, const char* next_a, const char* next_b) {
  multiply_and_load_a(a + kMid);
  multiply_and_load_b(b + kMid);
  multiply_and_load_a(a + kHi);
  multiply_and_load_b(b + kLo);
  multiply_and_load_b(b + kHi);
  multiply_and_load_a(next_a + kLo);
  load_b(next_b + kHi);
}

/// All products but lo·lo and hi·hi, in such an order.
GEMMLAB_TILE void multiply_seven(const char* a, const char* b) {
  load_a(a + kMid);
  load_b(b + kLo);
  multiply_four();
  load_a(a + kHi);
  multiply_four();
  load_b(b + kMid);
  multiply_four();
  load_a(a + kMid);
  multiply_four();
  load_a(a + kLo);
  multiply_four();
  load_b(b + kHi);
  multiply_four();
  load_a(a + kMid);
  multiply_four();
}

GEMMLAB_TILE void multiply_leading(const char* a, const char* b) {
  load_a(a + kHi);
  load_b(b + kHi);
  multiply_four();
}

/// Sums of some terms in tiles 0 to 3. Where few terms are not zero, eight products, and the small ones before
/// hi·hi, whose 16 bits then meet a small sum: nearly each rounding of the eight would show.
static void sum_products(const char* a, const char* b, std::int64_t steps, bool careful) {
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
  const std::int64_t bytes = steps * kStepBytes;
  if (!careful) {
    load_a(a + kLo);
    load_b(b + kHi);
    for (std::int64_t at = 0; at < bytes; at += kStepBytes) {
      const std::int64_t next = at + kStepBytes < bytes ? at + kStepBytes : at;
      multiply_six(a + at, b + at, a + next, b + next);
    }
    return;
  }
  for (std::int64_t at = 0; at < bytes; at += kStepBytes) multiply_seven(a + at, b + at);
  for (std::int64_t at = 0; at < bytes; at += kStepBytes) multiply_leading(a + at, b + at);
}

GEMMLAB_TILE std::int64_t smaller(std::int64_t x, std::int64_t y) {
  return x < y ? x : y;
}

static float power_of_two(int exponent) {
  const std::uint32_t bits = static_cast<std::uint32_t>(exponent + 127) << 23;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Undoes the scales: two factors that both lead the same way, as one might leave the range.
struct Unscale {
  float first;
  float second;
  explicit Unscale(const Scales& scales) {
    const int exponent = -(scales.a + scales.b);
    first = power_of_two(exponent / 2);
    second = power_of_two(exponent - exponent / 2);
  }
};

/// Up to 32×32 elements of C, and what rounding left out of them so far: nullptr where nobody keeps it.
struct Place {
  float* c;
  float* left_out;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t cols;
};

constexpr std::int64_t kTileSums = 256;  // 16 rows of 16

/// To be added to while the products are computed: rows of C lie on a page each.
static void ask_for(const float* first, const Place& place) {
  for (std::int64_t row = 0; row < place.rows; ++row) {
    __builtin_prefetch(first + row * place.stride, 1);
    __builtin_prefetch(first + row * place.stride + place.cols - 1, 1);
  }
}

struct Overwrite {
  GEMMLAB_TILE void write(float* c, float*, float sum) { *c = sum; }
};
struct Add {
  GEMMLAB_TILE void write(float* c, float*, float sum) { *c += sum; }
};
/// Overwrites, and nothing is left out so far.
struct Begin {
  GEMMLAB_TILE void write(float* c, float* left_out, float sum) {
    *c = sum;
    *left_out = 0;
  }
};
/// What rounding leaves out goes into the next addition (Fast2Sum; Dekker 1971), so that a long K adds up no
/// roundings.
struct Carry {
  GEMMLAB_TILE void write(float* c, float* left_out, float sum) {
    const float part = sum + *left_out;
    const float added = *c + part;
    *left_out = part - (added - *c);
    *c = added;
  }
};

template <typename How>
static void write_rows(const float* sums, const Unscale& unscale, const Place& place) {
  for (std::int64_t row = 0; row < place.rows; ++row) {
    const float* left = sums + row / 16 * 2 * kTileSums + row % 16 * 16;
    const float* right = left + kTileSums;
    float* __restrict c = place.c + row * place.stride;
    float* out = place.left_out == nullptr ? c : place.left_out + row * place.stride;
    const auto write = [&](std::int64_t col, const float* from) {
      How::write(c + col, out + col, *from * unscale.first * unscale.second);
    };
    if (place.cols == kPanel) {
      for (std::int64_t col = 0; col < 16; ++col) write(col, left + col);
      for (std::int64_t col = 0; col < 16; ++col) write(col + 16, right + col);
    } else {
      for (std::int64_t col = 0; col < smaller(place.cols, 16); ++col) write(col, left + col);
      for (std::int64_t col = 16; col < place.cols; ++col) write(col, right + col - 16);
    }
  }
}

/// To C, from tiles 0 to 3.
static void write_sums(const Unscale& unscale, const Place& place, bool first) {
  alignas(64) float sums[4 * kTileSums];
  store_tile<0>(sums);
  store_tile<1>(sums + kTileSums);
  store_tile<2>(sums + 2 * kTileSums);
  store_tile<3>(sums + 3 * kTileSums);
  if (place.left_out != nullptr) {
    (first ? write_rows<Begin> : write_rows<Carry>)(sums, unscale, place);
  } else {
    (first ? write_rows<Overwrite> : write_rows<Add>)(sums, unscale, place);
  }
}

static std::int64_t panel_bytes(const MatrixBlocks& blocks) {
  return blocks.deep / kStep * kStepBytes;
}

/// How the terms from k0 on are multiplied.
struct Pass {
  std::int64_t k0;
  std::int64_t steps;
  bool careful;
  Unscale unscale;
};

/// One block of C: A's block stays in the second-level cache, and panels of B pass along it.
static void multiply_block(const MatrixWork& work, const Pass& pass, std::int64_t row0, std::int64_t col0) {
  const MatrixBlocks& blocks = work.blocks;
  const std::int64_t row1 = smaller(row0 + blocks.rows, work.m);
  const std::int64_t col1 = smaller(col0 + blocks.cols, work.n);
  const std::int64_t at_once = blocks.terms / kStep;
  for (std::int64_t step = 0; step < pass.steps; step += at_once) {
    for (std::int64_t col = col0; col < col1; col += kPanel) {
      const char* b = work.parts_b + col / kPanel * panel_bytes(blocks) + step * kStepBytes;
      for (std::int64_t row = row0; row < row1; row += kPanel) {
        const char* a = work.parts_a + row / kPanel * panel_bytes(blocks) + step * kStepBytes;
        const std::int64_t at = row * work.n + col;
        const Place place = {work.c + at, work.left_out == nullptr ? nullptr : work.left_out + at, work.n,
                             smaller(kPanel, work.m - row), smaller(kPanel, work.n - col)};
        ask_for(place.c, place);
        if (place.left_out != nullptr) ask_for(place.left_out, place);
        sum_products(a, b, smaller(at_once, pass.steps - step), pass.careful);
        write_sums(pass.unscale, place, pass.k0 + step == 0);
      }
    }
  }
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
#pragma omp for schedule(static) nowait
  for (std::int64_t task = 0; task < tasks_of_a; ++task) split_task_of_a(work, pass, factor_a, task, &a);
#pragma omp for schedule(static) nowait
  for (std::int64_t task = 0; task < tasks_of_b; ++task) split_task_of_b(work, pass, factor_b, task, &b);
  tell(seen, a, b);
}

/// After all have split: may the pass be multiplied, and how? The same in every thread.
static bool decide(const MatrixWork& work, const Scales& scales, const MatrixSeen& seen, Pass* pass) {
  const auto terms = static_cast<double>(smaller(pass->k0 + work.blocks.deep, work.k));
  pass->careful = sums_are_short(seen.a, static_cast<double>(work.m) * terms, seen.b,
                                 static_cast<double>(work.n) * terms, work.k);
  return holds(seen.a, seen.b, scales, work.k);
}

/// Threads wait for each other once a pass, and once between two.
static bool multiply(const MatrixWork& work, const Scales& scales, MatrixSeen* seen) {
  const std::int64_t down = ceil_div(work.m, work.blocks.rows);
  const std::int64_t across = ceil_div(work.n, work.blocks.cols);
  bool all_held = true;
#pragma omp parallel num_threads(work.threads)
  {
    configure_tiles();
    Pass pass = {0, 0, false, Unscale(scales)};
    bool held = true;
    for (; held && pass.k0 < work.k; pass.k0 += work.blocks.deep) {
      if (pass.k0 > 0) {
#pragma omp barrier
      }
      pass.steps = ceil_div(smaller(work.blocks.deep, work.k - pass.k0), kStep);
      split(work, pass, scales, seen);
#pragma omp barrier
      held = decide(work, scales, *seen, &pass);
      const std::int64_t blocks = held ? down * across : 0;
#pragma omp for schedule(dynamic) nowait
      for (std::int64_t block = 0; block < blocks; ++block)
        multiply_block(work, pass, block / across * work.blocks.rows, block % across * work.blocks.cols);
    }
#pragma omp master
    {
      seen->threads = omp_get_num_threads();
      seen->careful = pass.careful;
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

extern const MatrixUnit matrix_unit = {.multiply = multiply, .look = look};

}  // namespace GEMMLAB_MATRIX_NAMESPACE
