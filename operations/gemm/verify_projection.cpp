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

/// A or B, made again wherever it is looked at: nothing of size m·k or k·n is held.
struct Generated {
  const ProductSpec& spec;
  Operand operand;

  std::int64_t rows() const { return spec.rows(operand); }
  std::int64_t cols() const { return spec.cols(operand); }
  const float* part(std::int64_t row, std::int64_t col, std::int64_t count, float* buffer) const {
    fill_range(buffer, row * cols() + col, count, spec.distribution, spec.seed, operand, spec.limit);
    return buffer;
  }
};

/// C, its rows named as those of the base.
struct Stored {
  const ProductSpec& spec;
  const float* c;
  std::int64_t rotate;

  std::int64_t rows() const { return spec.shape.m; }
  std::int64_t cols() const { return spec.shape.n; }
  const float* part(std::int64_t row, std::int64_t col, std::int64_t, float*) const {
    return c + spec.row_of(row, rotate) * spec.form.ldc + col;
  }
};

/// matrix·x, or |matrix|·x.
template <typename Source>
std::vector<double> times(const Source& matrix, const std::vector<double>& x, bool absolute = false) {
  std::vector<double> result(static_cast<std::size_t>(matrix.rows()));
#pragma omp parallel for schedule(static) if (matrix.rows() * matrix.cols() > kWorthThreads)
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    float buffer[kStrip];
    double sum = 0;
    for (std::int64_t col0 = 0; col0 < matrix.cols(); col0 += kStrip) {
      const std::int64_t width = std::min(kStrip, matrix.cols() - col0);
      const float* part = matrix.part(row, col0, width, buffer);
      const double* weight = x.data() + col0;
      if (absolute) {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < width; ++i) sum += std::abs(static_cast<double>(part[i])) * weight[i];
      } else {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < width; ++i) sum += part[i] * weight[i];
      }
    }
    result[static_cast<std::size_t>(row)] = sum;
  }
  return result;
}

/// w·matrix, or w·|matrix|. Columns are shared out, so that no sum depends on the number of threads.
template <typename Source>
std::vector<double> times_from_left(const std::vector<double>& w, const Source& matrix,
                                    bool absolute = false) {
  std::vector<double> result(static_cast<std::size_t>(matrix.cols()));
#pragma omp parallel for schedule(static) if (matrix.rows() * matrix.cols() > kWorthThreads)
  for (std::int64_t col0 = 0; col0 < matrix.cols(); col0 += kStrip) {
    const std::int64_t width = std::min(kStrip, matrix.cols() - col0);
    float buffer[kStrip];
    double sums[kStrip] = {};
    for (std::int64_t row = 0; row < matrix.rows(); ++row) {
      const float* part = matrix.part(row, col0, width, buffer);
      const double weight = w[static_cast<std::size_t>(row)];
      if (absolute) {
        for (std::int64_t i = 0; i < width; ++i) sums[i] += std::abs(static_cast<double>(part[i])) * weight;
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
  if (!spec.exact()) return 1;
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
Worst meet_whole_numbers(const ProductSpec& spec, const float* c) {
  const auto largest = static_cast<float>(largest_element(spec));
  const std::int64_t n = spec.shape.n;
  const std::int64_t stride = spec.form.ldc;
  return over_rows(spec.shape.m, n, [=](Worst& mine, std::int64_t row) {
    for (std::int64_t col = 0; col < n; ++col) {
      const float value = c[row * stride + col];
      const bool whole =
          std::abs(value) <= largest && static_cast<float>(static_cast<std::int64_t>(value)) == value;
      if (!whole) mine.meet(std::numeric_limits<double>::infinity(), row * n + col, false, false);
    }
  });
}

}  // namespace

ProjectedReference::ProjectedReference(const ProductSpec& spec) : spec_(spec) {
  const auto [m, n, k] = spec.shape;
  const Generated a{spec, Operand::kA};
  const Generated b{spec, Operand::kB};
  const int vectors = spec.exact() ? 2 : 1;
  for (int v = 0; v < vectors; ++v) {
    Side row{weights(n, spec.seed, 2 * v, largest_weight(spec, n)), {}, {}};
    row.expected = times(a, times(b, row.vector));
    Side col{weights(m, spec.seed, 2 * v + 1, largest_weight(spec, m)), {}, {}};
    col.expected = times_from_left(times_from_left(col.vector, a), b);
    if (!spec.exact()) {
      row.scale = times(a, times(b, std::vector<double>(static_cast<std::size_t>(n), 1.0), true), true);
      scale_down(row.scale, n);
      const std::vector<double> ones(static_cast<std::size_t>(m), 1.0);
      col.scale = times_from_left(times_from_left(ones, a, true), b, true);
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
  if (spec_.exact()) return;
  std::vector<double> rows = times(c, std::vector<double>(row.vector.size(), 1.0), true);
  scale_down(rows, spec_.shape.n);
  combine_with_c(row.scale, spec_, rows, size_of_form);
  std::vector<double> cols = times_from_left(std::vector<double>(col.vector.size(), 1.0), c, true);
  scale_down(cols, spec_.shape.m);
  combine_with_c(col.scale, spec_, cols, size_of_form);
}

Worst ProjectedReference::compare(const Side& side, const std::vector<double>& projected,
                                  double summed) const {
  Bounds bounds = Bounds::of(spec_.distribution, spec_.shape.k);
  bounds.eta = std::max(bounds.eta, kResidualBound);
  bounds.slack *= summed;
  Worst worst;
  for (std::size_t i = 0; i < projected.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (spec_.exact()) {
      meet_exact(worst, projected[i], side.expected[i], at);
    } else {
      meet_element(worst, bounds, projected[i], side.expected[i], side.scale[i], at);
    }
  }
  return worst;
}

Check ProjectedReference::check(const float* c, std::int64_t rotate) const {
  const auto [m, n, k] = spec_.shape;
  const Stored stored{spec_, c, rotate};
  Worst rows;
  Worst cols;
  for (const Side& side : by_row_)
    rows.merge(compare(side, times(stored, side.vector), static_cast<double>(n)));
  for (const Side& side : by_col_) {
    cols.merge(compare(side, times_from_left(side.vector, stored), static_cast<double>(m)));
  }
  Check check;
  check.method = spec_.exact() ? "exact-projection" : "projection";
  check.residual = std::max(rows.eta, cols.eta);
  check.worst_row = spec_.row_of(rows.index, rotate);
  check.worst_col = cols.index;
  Worst all = rows;
  all.merge(cols);
  if (spec_.exact()) {
    const Worst broken = meet_whole_numbers(spec_, c);
    all.merge(broken);
    if (broken.index >= 0) {
      check.residual = broken.eta;
      check.worst_row = broken.index / n;
      check.worst_col = broken.index % n;
    }
  }
  check.verdict = Bounds::of(spec_.distribution, k).verdict(all);
  return check;
}

}  // namespace gemmlab
