#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "operations/gemm/verify_parts.h"
#include "operations/gemm/verify_rows.h"

namespace gemmlab {

namespace {

constexpr std::int64_t kStrip = 256;                   ///< columns handled at a time
constexpr double kExactInDouble = 9007199254740992.0;  // 2⁵³
constexpr double kLargestWeight = 1 << 20;
/// Of the root of the sum of squares of roundings, each of at most one unit and evenly spread: six times the
/// deviation of their sum (1/√3 of a unit each), as no run of any length leaves by chance.
constexpr double kRoundingBound = 3.5;

/// A or B, made again wherever it is looked at: nothing of size m·k or k·n is held.
struct Generated {
  const ProductSpec& spec;
  Operand operand;

  std::int64_t rows() const { return spec.rows(operand); }
  std::int64_t cols() const { return spec.cols(operand); }
  const float* part(std::int64_t row, std::int64_t col, std::int64_t count, float* buffer) const {
    spec.draw(operand, row * cols() + col, count, buffer);
    return buffer;
  }
};

/// C, its rows named as those of the base.
template <typename T>
struct Stored {
  const ProductSpec& spec;
  const T* c;
  std::int64_t rotate;

  std::int64_t rows() const { return spec.shape.m; }
  std::int64_t cols() const { return spec.shape.n; }
  const T* part(std::int64_t row, std::int64_t col, std::int64_t, float*) const {
    return c + spec.row_of(row, rotate) * spec.form.ldc + col;
  }
};

/// What is taken of a matrix's elements.
enum class Taken { kValue, kMagnitude, kSquare };

double taken(Taken what, double value) {
  return what == Taken::kMagnitude ? std::abs(value) : what == Taken::kSquare ? value * value : value;
}

/// matrix·x, |matrix|·x, or with the squares of its elements.
template <typename Source>
std::vector<double> times(const Source& matrix, const std::vector<double>& x, Taken what = Taken::kValue) {
  std::vector<double> result(static_cast<std::size_t>(matrix.rows()));
#pragma omp parallel for schedule(static) if (matrix.rows() * matrix.cols() > kWorthThreads)
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    float buffer[kStrip];
    double sum = 0;
    for (std::int64_t col0 = 0; col0 < matrix.cols(); col0 += kStrip) {
      const std::int64_t width = std::min(kStrip, matrix.cols() - col0);
      const auto* part = matrix.part(row, col0, width, buffer);
      const double* weight = x.data() + col0;
      if (what != Taken::kValue) {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < width; ++i) sum += taken(what, static_cast<double>(part[i])) * weight[i];
      } else {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < width; ++i) sum += part[i] * weight[i];
      }
    }
    result[static_cast<std::size_t>(row)] = sum;
  }
  return result;
}

/// w·matrix, and the same. Columns are shared out, so that no sum depends on the number of threads.
template <typename Source>
std::vector<double> times_from_left(const std::vector<double>& w, const Source& matrix,
                                    Taken what = Taken::kValue) {
  std::vector<double> result(static_cast<std::size_t>(matrix.cols()));
#pragma omp parallel for schedule(static) if (matrix.rows() * matrix.cols() > kWorthThreads)
  for (std::int64_t col0 = 0; col0 < matrix.cols(); col0 += kStrip) {
    const std::int64_t width = std::min(kStrip, matrix.cols() - col0);
    float buffer[kStrip];
    double sums[kStrip] = {};
    for (std::int64_t row = 0; row < matrix.rows(); ++row) {
      const auto* part = matrix.part(row, col0, width, buffer);
      const double weight = w[static_cast<std::size_t>(row)];
      if (what != Taken::kValue) {
        for (std::int64_t i = 0; i < width; ++i)
          sums[i] += taken(what, static_cast<double>(part[i])) * weight;
      } else {
        for (std::int64_t i = 0; i < width; ++i) sums[i] += part[i] * weight;
      }
    }
    std::copy(sums, sums + width, result.begin() + col0);
  }
  return result;
}

/// Nonzero integers up to `largest` in magnitude; ±1 for 1.
std::vector<double> weights(std::int64_t count, std::uint64_t seed, int stream, std::int32_t largest) {
  std::vector<float> narrow(static_cast<std::size_t>(count));
  fill_range(narrow.data(), 0, count, Distribution::kInteger, seed, static_cast<Operand>(32 + stream),
             largest);
  return {narrow.begin(), narrow.end()};
}

/// The largest |c| that integer inputs allow.
double largest_element(const ProductSpec& spec) {
  const double product = static_cast<double>(spec.shape.k) * spec.limit * spec.limit;
  return size_of_form(spec.form, product, spec.limit);
}

/// What a projection of A·B comes to with alpha, beta and the projection of C.
void combine_with_c(std::vector<double>& projected, const ProductSpec& spec, const std::vector<double>& of_c,
                    double (*combine)(const GemmForm&, double, double)) {
  for (std::size_t i = 0; i < projected.size(); ++i) projected[i] = combine(spec.form, projected[i], of_c[i]);
}

/// The largest weight X for which no sum over `count` elements of C leaves what a double holds exactly: each
/// |c| is at most k·limit², so that count·k·limit²·X < 2⁵³ suffices. The sums over A and over B alone are
/// smaller still.
std::int32_t largest_weight(const ProductSpec& spec, std::int64_t count) {
  if (!spec.exact_sums()) return 1;
  const double sum = static_cast<double>(count) * largest_element(spec);
  const double weight = std::min(kLargestWeight, std::floor((kExactInDouble - 1) / sum));
  if (!(weight >= 1)) {
    throw std::invalid_argument("an exact projection over " + std::to_string(count) +
                                " elements of C at k = " + std::to_string(spec.shape.k) +
                                " would leave 2^53; take a smaller shape");
  }
  return static_cast<std::int32_t>(weight);
}

void scale_down(std::vector<double>& values, std::int64_t count) {
  for (double& value : values) value /= std::sqrt(static_cast<double>(count));
}

/// Every element has to be a whole number that the inputs allow: then all sums below are exact, and the
/// projections of two different C differ unless the random weights happen to cancel.
template <typename T>
Worst meet_whole_numbers(const ProductSpec& spec, const T* c) {
  const double largest = largest_element(spec);
  const std::int64_t n = spec.shape.n;
  const std::int64_t stride = spec.form.ldc;
  return over_rows(spec.shape.m, n, [=](Worst& mine, std::int64_t row) {
    for (std::int64_t col = 0; col < n; ++col) {
      const auto value = static_cast<double>(c[row * stride + col]);
      const bool whole =
          std::abs(value) <= largest && static_cast<double>(static_cast<std::int64_t>(value)) == value;
      if (!whole) mine.meet(std::numeric_limits<double>::infinity(), row * n + col, false, false);
    }
  });
}

}  // namespace

ProjectedReference::ProjectedReference(const ProductSpec& spec) : spec_(spec) {
  const auto [m, n, k] = spec.shape;
  const Generated a{spec, Operand::kA};
  const Generated b{spec, Operand::kB};
  const int vectors = spec.exact_sums() ? 2 : 1;
  for (int v = 0; v < vectors; ++v) {
    Side row{weights(n, spec.seed, 2 * v, largest_weight(spec, n)), {}, {}};
    row.expected = times(a, times(b, row.vector));
    Side col{weights(m, spec.seed, 2 * v + 1, largest_weight(spec, m)), {}, {}};
    col.expected = times_from_left(times_from_left(col.vector, a), b);
    if (!spec.exact_sums()) {
      row.scale = times(a, times(b, std::vector<double>(static_cast<std::size_t>(n), 1.0), Taken::kMagnitude),
                        Taken::kMagnitude);
      scale_down(row.scale, n);
      const std::vector<double> ones(static_cast<std::size_t>(m), 1.0);
      col.scale = times_from_left(times_from_left(ones, a, Taken::kMagnitude), b, Taken::kMagnitude);
      scale_down(col.scale, m);
    }
    if (spec.scales()) add_c(row, col);
    by_row_.push_back(std::move(row));
    by_col_.push_back(std::move(col));
  }
}

void ProjectedReference::add_c(Side& row, Side& col) const {
  const Generated c{spec_, Operand::kC};
  combine_with_c(row.expected, spec_, times(c, row.vector), of_form);
  combine_with_c(col.expected, spec_, times_from_left(col.vector, c), of_form);
  if (spec_.exact_sums()) return;
  std::vector<double> rows = times(c, std::vector<double>(row.vector.size(), 1.0), Taken::kMagnitude);
  scale_down(rows, spec_.shape.n);
  combine_with_c(row.scale, spec_, rows, size_of_form);
  std::vector<double> cols =
      times_from_left(std::vector<double>(col.vector.size(), 1.0), c, Taken::kMagnitude);
  scale_down(cols, spec_.shape.m);
  combine_with_c(col.scale, spec_, cols, size_of_form);
}

Worst ProjectedReference::compare(const Side& side, const Projected& projected, double summed) const {
  Bounds bounds = spec_.bounds();
  bounds.eta = std::max(bounds.eta, kResidualBound);
  bounds.slack *= summed;
  Worst worst;
  for (std::size_t i = 0; i < projected.sums.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (spec_.exact_sums()) {
      meet_exact(worst, projected.sums[i], side.expected[i], at);
    } else {
      const double rounding =
          projected.squares.empty() ? 0 : kRoundingBound * bounds.rounding(std::sqrt(projected.squares[i]));
      meet_element(worst, bounds, projected.sums[i], side.expected[i], side.scale[i], at, rounding);
    }
  }
  return worst;
}

template <typename T>
Check ProjectedReference::check(const T* c, std::int64_t rotate) const {
  const std::int64_t m = spec_.shape.m;
  const std::int64_t n = spec_.shape.n;
  const Stored<T> stored{spec_, c, rotate};
  const std::vector<double> row_ones(spec_.types.narrow_result() ? static_cast<std::size_t>(n) : 0, 1.0);
  const std::vector<double> col_ones(spec_.types.narrow_result() ? static_cast<std::size_t>(m) : 0, 1.0);
  Worst rows;
  Worst cols;
  for (const Side& side : by_row_) {
    Projected projected{times(stored, side.vector), {}};
    if (!row_ones.empty()) projected.squares = times(stored, row_ones, Taken::kSquare);
    rows.merge(compare(side, projected, static_cast<double>(n)));
  }
  for (const Side& side : by_col_) {
    Projected projected{times_from_left(side.vector, stored), {}};
    if (!col_ones.empty()) projected.squares = times_from_left(col_ones, stored, Taken::kSquare);
    cols.merge(compare(side, projected, static_cast<double>(m)));
  }
  Check check;
  check.method = spec_.exact_sums() ? "exact-projection" : "projection";
  check.residual = std::max(rows.eta, cols.eta);
  check.worst_row = spec_.row_of(rows.index, rotate);
  check.worst_col = cols.index;
  Worst all = rows;
  all.merge(cols);
  if (spec_.exact_sums()) {
    const Worst broken = meet_whole_numbers(spec_, c);
    all.merge(broken);
    if (broken.index >= 0) {
      check.residual = broken.eta;
      check.worst_row = broken.index / n;
      check.worst_col = broken.index % n;
    }
  }
  check.verdict = spec_.bounds().verdict(all);
  return check;
}

template Check ProjectedReference::check(const float* c, std::int64_t rotate) const;
template Check ProjectedReference::check(const std::int32_t* c, std::int64_t rotate) const;

}  // namespace gemmlab
