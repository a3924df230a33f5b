// y = A·x, or y = Aᵀ·x: A (m, n) row-major.

#include <algorithm>
#include <cmath>

#include "operations/gemm/verify_rows.h"
#include "operations/vectors.h"

namespace gemmlab {
namespace {

constexpr std::size_t kA = 0;
constexpr std::size_t kX = 1;
constexpr std::size_t kY = 2;
constexpr std::int64_t kPiece = 1024;  ///< elements of a row that are made at a time

struct Matrix2d {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool transposed = false;

  std::int64_t terms() const { return transposed ? rows : cols; }
  std::int64_t results() const { return transposed ? cols : rows; }
};

Matrix2d matrix_of(const Instance& instance) {
  return {instance.dims.at(0), instance.dims.at(1),
          std::get<std::int64_t>(instance.option("transpose_a")) != 0};
}

/// A's rows are shifted by the set; with them goes y, or, transposed, x, and y stays.
class GemvReference : public OperationReference {
 public:
  GemvReference(const Matrix2d& matrix, const InputValues& values)
      : matrix_(matrix),
        values_(values),
        limit_(integer_limit(matrix.terms())),
        result_(static_cast<std::size_t>(matrix.results())),
        magnitude_(static_cast<std::size_t>(matrix.results())) {
    std::vector<float> x(static_cast<std::size_t>(matrix.terms()));
    gemmlab::fill(x.data(), matrix.terms(), 1, values.distribution, values.seed, Operand::kB, 0, limit_);
    matrix.transposed ? sum_columns(x.data()) : sum_rows(x.data());
  }

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    const float* y = operands.in<float>(kY);
    const bool exact = values_.distribution == Distribution::kInteger;
    const Bounds bounds = Bounds::of(values_.distribution, matrix_.terms());
    const std::int64_t shift = matrix_.transposed ? 0 : (set % matrix_.rows + matrix_.rows) % matrix_.rows;
    const Worst worst = over_rows(matrix_.results(), 1, [&](Worst& mine, std::int64_t i) {
      const auto base = static_cast<std::size_t>((i + shift) % matrix_.results());
      if (exact) {
        meet_exact(mine, y[i], result_[base], i);
      } else {
        meet_element(mine, bounds, y[i], result_[base], magnitude_[base], i);
      }
    });
    return {check_of(worst, bounds, exact ? "exact" : "bound", 1)};
  }

 private:
  void row_piece(std::int64_t row, std::int64_t col, std::int64_t width, float* to) const {
    fill_range(to, row * matrix_.cols + col, width, values_.distribution, values_.seed, Operand::kA, limit_);
  }

  void sum_rows(const float* x) {
#pragma omp parallel for schedule(static) if (matrix_.rows * matrix_.cols > kWorthThreads)
    for (std::int64_t row = 0; row < matrix_.rows; ++row) {
      float piece[kPiece];
      double sum = 0;
      double absolute = 0;
      for (std::int64_t col0 = 0; col0 < matrix_.cols; col0 += kPiece) {
        const std::int64_t width = std::min(kPiece, matrix_.cols - col0);
        row_piece(row, col0, width, piece);
        for (std::int64_t i = 0; i < width; ++i) {
          const double product = static_cast<double>(piece[i]) * x[col0 + i];
          sum += product;
          absolute += std::abs(product);
        }
      }
      result_[static_cast<std::size_t>(row)] = sum;
      magnitude_[static_cast<std::size_t>(row)] = absolute;
    }
  }

  void sum_columns(const float* x) {
#pragma omp parallel for schedule(static) if (matrix_.rows * matrix_.cols > kWorthThreads)
    for (std::int64_t col0 = 0; col0 < matrix_.cols; col0 += kPiece) {
      const std::int64_t width = std::min(kPiece, matrix_.cols - col0);
      float piece[kPiece];
      double* sum = result_.data() + col0;
      double* absolute = magnitude_.data() + col0;
      for (std::int64_t row = 0; row < matrix_.rows; ++row) {
        row_piece(row, col0, width, piece);
        for (std::int64_t i = 0; i < width; ++i) {
          const double product = static_cast<double>(piece[i]) * x[row];
          sum[i] += product;
          absolute[i] += std::abs(product);
        }
      }
    }
  }

  Matrix2d matrix_;
  InputValues values_;
  std::int32_t limit_;
  std::vector<double> result_;
  std::vector<double> magnitude_;
};

class Gemv : public Operation {
 public:
  const std::string& name() const override {
    static const std::string name = "gemv";
    return name;
  }
  std::string title() const override { return "y = A·x, float32"; }
  const std::vector<DimensionSpec>& dimensions() const override {
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    static const std::vector<DimensionSpec> dimensions = {{"m", "rows of A", 1, kMost},
                                                          {"n", "columns of A", 1, kMost}};
    return dimensions;
  }
  const std::vector<OptionSpec>& options() const override {
    static const std::vector<OptionSpec> options = {
        {"transpose_a", "0: y = A·x; 1: y = Aᵀ·x", {std::int64_t{0}, std::int64_t{1}}, std::int64_t{0}}};
    return options;
  }
  std::vector<OperandSpec> operands(const Instance&) const override {
    return {{"A", Direction::kIn, ElementType::kFloat32},
            {"x", Direction::kIn, ElementType::kFloat32},
            {"y", Direction::kOut, ElementType::kFloat32}};
  }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size, size}; }

  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    const Matrix2d matrix = matrix_of(instance);
    if (operand == kA) return matrix.rows * matrix.cols;
    return operand == kX ? matrix.terms() : matrix.results();
  }
  double operation_count(const Instance& instance) const override {
    return 2.0 * static_cast<double>(count(instance, kA));
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return memory_rates(least_bytes(instance), operation_count(instance));
  }
  std::string why_not(const Instance&) const override { return {}; }
  /// The first rows of A.
  std::optional<Instance> part(const Instance& instance, double share) const override {
    Instance lower = instance;
    lower.dims[0] = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(instance.dims[0])));
    return lower;
  }

  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    const Matrix2d matrix = matrix_of(instance);
    const std::int32_t limit = integer_limit(matrix.terms());
    auto* to = static_cast<float*>(host_to);
    if (operand == kY) return fill_with_nan(to, matrix.results());
    if (operand == kA) {
      return gemmlab::fill(to, matrix.rows, matrix.cols, values.distribution, values.seed, Operand::kA, set,
                           limit);
    }
    gemmlab::fill(to, matrix.terms(), 1, values.distribution, values.seed, Operand::kB,
                  matrix.transposed ? set : 0, limit);
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<GemvReference>(matrix_of(instance), values);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1, 1},    {1, 31},   {31, 1},    {3, 5},     {33, 31},     {64, 64},    {1, 4097},
            {4097, 1}, {7, 1023}, {1023, 33}, {129, 257}, {1025, 1023}, {3, 16'385}, {16'385, 3}};
  }
};

}  // namespace

const Operation& gemv() {
  static const Gemv operation;
  return operation;
}

}  // namespace gemmlab
