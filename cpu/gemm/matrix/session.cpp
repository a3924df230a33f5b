#include "cpu/gemm/matrix/session.h"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "core/machine/machine.h"
#include "core/rounding.h"
#include "cpu/gemm/matrix/layout.h"

namespace gemmlab::cpu {
namespace {

/// FP32 adds up so many sums of the unit as they are; of more, what rounding leaves out is carried on.
constexpr std::int64_t kSumsWithoutCarry = 8;

/// Sums of digits are rounded but once; so many terms need no carry.
constexpr std::int64_t kDigitsWithoutCarry = 16384;

std::int64_t digits_bytes(std::int64_t rows, const MatrixBlocks& digits) {
  return digits.terms == 0 ? 0 : ceil_div(rows, kPanel) * (digits.deep / kDigitStep) * kStepBytes;
}

}  // namespace

std::int64_t parts_bytes(std::int64_t rows, const MatrixBlocks& blocks) {
  return ceil_div(rows, kPanel) * (blocks.deep / kStep) * kStepBytes;
}

MatrixBlocks matrix_blocks(const Shape& shape, int threads) {
  // what was tried is in docs/notebook/cpu_matrix.md
  constexpr std::int64_t kMostTerms = 704;  // 1024 is 10 % faster, and rounds more than MKL does
  constexpr std::int64_t kMostRows = 256;
  constexpr std::int64_t kMostCols = 512;
  constexpr std::int64_t kBlocksAThread = 2;           // half of C: the rest is cut smaller (product.cpp)
  constexpr std::int64_t kMostPartsBytes = 512 << 20;  // what is split at a time: about what last caches hold
  MatrixBlocks blocks = {kMostRows, kMostCols, 0, 0};
  const auto count = [&] { return ceil_div(shape.m, blocks.rows) * ceil_div(shape.n, blocks.cols); };
  const std::int64_t wanted = threads == 1 ? 1 : threads * kBlocksAThread;
  while (count() < wanted && blocks.rows * blocks.cols > kPanel * kPanel) {
    (blocks.cols >= blocks.rows ? blocks.cols : blocks.rows) /= 2;
  }
  const std::int64_t sums = ceil_div(shape.k, kMostTerms);
  blocks.terms = rounded_up(ceil_div(shape.k, sums), kStep);
  const std::int64_t bytes_a_sum = (rounded_up(shape.m, kPanel) + rounded_up(shape.n, kPanel)) / kPanel *
                                   (blocks.terms / kStep * kStepBytes);
  const std::int64_t most = std::max<std::int64_t>(1, kMostPartsBytes / bytes_a_sum);
  blocks.deep = blocks.terms * ceil_div(sums, ceil_div(sums, most));
  return blocks;
}

MatrixBlocks digit_blocks(const Shape& shape, int threads) {
  constexpr std::int64_t kLeastTerms = 256;
  constexpr std::int64_t kMostTerms = 1024;
  constexpr std::int64_t kLeastElements =
      kPanel * kPanel;  // of fewer, what is lost at random need not average out
  constexpr std::int64_t kMostBytes = 512 << 20;
  const std::int64_t sides = rounded_up(shape.m, kPanel) + rounded_up(shape.n, kPanel);
  MatrixBlocks blocks = matrix_blocks(shape, threads);
  blocks.deep = rounded_up(shape.k, kDigitStep);
  const std::int64_t sums = ceil_div(shape.k, kMostTerms);
  const bool serve = shape.k >= kLeastTerms && shape.c_count() >= kLeastElements &&
                     sides * blocks.deep * kDigits <= kMostBytes;
  blocks.terms = serve ? rounded_up(ceil_div(shape.k, sums), kDigitStep) : 0;
  return blocks;
}

int matrix_threads(const Shape& shape, const MatrixBlocks& blocks, int asked) {
  const std::int64_t count = ceil_div(shape.m, blocks.rows) * ceil_div(shape.n, blocks.cols);
  return static_cast<int>(std::min<std::int64_t>({count, asked, cpu_info().cores}));
}

MatrixSession::MatrixSession(const MatrixUnit& unit, const Shape& shape, int threads,
                             const MatrixBlocks& blocks, const MatrixBlocks& digits,
                             std::unique_ptr<Session> plain)
    : unit_(unit),
      work_{nullptr, nullptr, nullptr, shape.m, shape.n, shape.k, threads, blocks, nullptr, nullptr, nullptr},
      parts_a_(panel_memory(std::max(parts_bytes(shape.m, blocks), digits_bytes(shape.m, digits)))),
      parts_b_(panel_memory(std::max(parts_bytes(shape.n, blocks), digits_bytes(shape.n, digits)))),
      digits_(digits),
      plain_(std::move(plain)) {
  if (digits.terms != 0) {
    const std::int64_t sides = rounded_up(shape.m, kPanel) + rounded_up(shape.n, kPanel);
    undo_ = panel_memory(static_cast<std::int64_t>(sizeof(double)) * sides);
    work_.undo = reinterpret_cast<double*>(undo_.get());
  }
  if (shape.k > kSumsWithoutCarry * blocks.terms) {
    left_out_ = panel_memory(static_cast<std::int64_t>(sizeof(float)) * shape.c_count());
    work_.left_out = reinterpret_cast<float*>(left_out_.get());
  }
  work_.parts_a = parts_a_.get();
  work_.parts_b = parts_b_.get();
}

bool MatrixSession::multiply_by_digits(const float* a, const float* b, float* c) {
  if (digits_.terms == 0) return false;
  MatrixWork work = work_;
  work.a = a;
  work.b = b;
  work.c = c;
  work.blocks = digits_;
  if (work.k <= kDigitsWithoutCarry) work.left_out = nullptr;
  MatrixSeen seen;
  const bool held = unit_.multiply_by_digits(work, &seen);
  threads_actual_ = seen.threads;
  return held;
}

void MatrixSession::multiply(const float* a, const float* b, float* c) {
  // OMP_DYNAMIC in the environment would let the runtime start fewer than were asked for
  omp_set_dynamic(0);
  by_digits_ = multiply_by_digits(a, b, c);
  if (by_digits_) return;
  work_.a = a;
  work_.b = b;
  work_.c = c;
  scales_ = {};
  MatrixSeen seen;
  held_ = unit_.multiply(work_, scales_, &seen);
  products_ = seen.products;
  threads_actual_ = seen.threads;
  if (held_) return;
  unit_.look(work_, &seen);
  if (find_scales(seen.a, seen.b, work_.k, &scales_)) {
    MatrixSeen again;
    held_ = unit_.multiply(work_, scales_, &again);
    products_ = again.products;
  }
  if (held_) return;
  gemmlab::multiply(*plain_, a, b, c);
  threads_actual_ = plain_->threads_actual();
}

Facts MatrixSession::chosen() const {
  Facts facts;
  facts["arithmetic"] = std::string(by_digits_                          ? "6 products of INT8 digits"
                                    : !held_                            ? "plain FP32"
                                    : products_ == PartProducts::kEight ? "8 products of BF16 triples"
                                                                        : "6 products of BF16 triples");
  const MatrixBlocks& blocks = by_digits_ ? digits_ : work_.blocks;
  facts["mc"] = blocks.rows;
  facts["nc"] = blocks.cols;
  facts["kc"] = blocks.terms;
  const std::int64_t left_out_bytes = left_out_ ? work_.m * work_.n * std::int64_t{sizeof(float)} : 0;
  const auto of_operand = [&](std::int64_t rows) {
    return std::max(parts_bytes(rows, work_.blocks), digits_bytes(rows, digits_));
  };
  facts["workspace_bytes"] = of_operand(work_.m) + of_operand(work_.n) + left_out_bytes;
  if (!by_digits_ && held_ && (scales_.a != 0 || scales_.b != 0)) {
    facts["scale_a"] = std::int64_t{scales_.a};
    facts["scale_b"] = std::int64_t{scales_.b};
  }
  return facts;
}

}  // namespace gemmlab::cpu
