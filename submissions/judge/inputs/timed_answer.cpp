#include "submissions/judge/inputs/timed_answer.h"

#include <algorithm>
#include <cmath>

#include "operations/gemm/verify_parts.h"

namespace gemmlab::submissions {
namespace {

constexpr std::int64_t kSide = 64;  ///< 64 rows by 64 columns are kSampledElements
static_assert(kSide * kSide == kSampledElements);
constexpr std::int64_t kStripe = 2048;  ///< columns whose sums stay in a cache
constexpr std::uint32_t kRightWeights = 0x77000001;
constexpr std::uint32_t kLeftWeights = 0x77000002;
constexpr std::uint32_t kPlaces = 0x77000003;

template <bool Magnitudes>
double term(float value) {
  return Magnitudes ? std::abs(value) : value;
}

/// matrix · vector.
template <bool Magnitudes>
std::vector<double> times(const float* matrix, std::int64_t rows, std::int64_t cols,
                          const std::vector<double>& vector) {
  std::vector<double> result(static_cast<std::size_t>(rows));
#pragma omp parallel for schedule(static) if (rows * cols > kWorthThreads)
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* values = matrix + row * cols;
    double sum = 0;
    for (std::int64_t col = 0; col < cols; ++col)
      sum += term<Magnitudes>(values[col]) * vector[static_cast<std::size_t>(col)];
    result[static_cast<std::size_t>(row)] = sum;
  }
  return result;
}

/// vector · matrix.
template <bool Magnitudes>
std::vector<double> from_left(const std::vector<double>& vector, const float* matrix, std::int64_t rows,
                              std::int64_t cols) {
  std::vector<double> result(static_cast<std::size_t>(cols));
#pragma omp parallel for schedule(static) if (rows * cols > kWorthThreads)
  for (std::int64_t col0 = 0; col0 < cols; col0 += kStripe) {
    const std::int64_t end = std::min(cols, col0 + kStripe);
    for (std::int64_t row = 0; row < rows; ++row) {
      const double factor = vector[static_cast<std::size_t>(row)];
      const float* values = matrix + row * cols;
      for (std::int64_t col = col0; col < end; ++col)
        result[static_cast<std::size_t>(col)] += factor * term<Magnitudes>(values[col]);
    }
  }
  return result;
}

std::vector<double> weights(std::int64_t count, const Secret& secret, const Secret::Nonce& nonce) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>((count + 31) / 32));
  secret.stream(words.data(), words.size(), nonce, 0);
  std::vector<double> signs(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = (words[i / 32] >> (i % 32) & 1) != 0 ? 1 : -1;
  return signs;
}

void scale_down(std::vector<double>& values, std::int64_t count) {
  for (double& value : values) value /= std::sqrt(static_cast<double>(count));
}

}  // namespace

TimedAnswer::TimedAnswer(const Shape& shape, const float* a, const float* b, const Secret& secret,
                         std::uint64_t number, const DoubleProduct& product)
    : shape_(shape) {
  const auto [m, n, k] = shape;
  const auto low = static_cast<std::uint32_t>(number), high = static_cast<std::uint32_t>(number >> 32);
  right_ = weights(n, secret, {kRightWeights, low, high});
  left_ = weights(m, secret, {kLeftWeights, low, high});
  by_row_ = times<false>(a, m, k, times<false>(b, k, n, right_));
  by_col_ = from_left<false>(from_left<false>(left_, a, m, k), b, k, n);
  const std::vector<double> ones(static_cast<std::size_t>(std::max(m, n)), 1.0);
  row_scale_ = times<true>(a, m, k, times<true>(b, k, n, ones));
  scale_down(row_scale_, n);
  col_scale_ = from_left<true>(from_left<true>(ones, a, m, k), b, k, n);
  scale_down(col_scale_, m);

  const std::uint64_t places = secret.seed(kPlaces, number);
  const std::int64_t col_count = std::min(n, kSampledElements / std::min(m, kSide));
  rows_ = sampled_positions(m, std::min(m, kSampledElements / std::min(col_count, kSide)), places);
  cols_ = sampled_positions(n, col_count, places + 1);
  Matrix<double> some_a(static_cast<std::int64_t>(rows_.size()), k),
      some_b(k, static_cast<std::int64_t>(cols_.size()));
  for (std::int64_t i = 0; i < some_a.rows(); ++i)
    for (std::int64_t p = 0; p < k; ++p) some_a(i, p) = a[rows_[static_cast<std::size_t>(i)] * k + p];
  for (std::int64_t p = 0; p < k; ++p)
    for (std::int64_t j = 0; j < some_b.cols(); ++j)
      some_b(p, j) = b[p * n + cols_[static_cast<std::size_t>(j)]];
  expected_ = Matrix<double>(some_a.rows(), some_b.cols());
  product(some_a.data(), some_b.data(), expected_.data(), some_a.rows(), some_b.cols(), k);
  for (Matrix<double>* one : {&some_a, &some_b})
    for (std::int64_t i = 0; i < one->count(); ++i) one->data()[i] = std::abs(one->data()[i]);
  sizes_ = Matrix<double>(some_a.rows(), some_b.cols());
  product(some_a.data(), some_b.data(), sizes_.data(), some_a.rows(), some_b.cols(), k);
}

Check TimedAnswer::projected(const float* c) const {
  const auto [m, n, k] = shape_;
  const auto meet = [&](const std::vector<double>& found, const std::vector<double>& expected,
                        const std::vector<double>& scale, std::int64_t summed) {
    Bounds bounds = Bounds::of(Distribution::kUniform, k);
    bounds.eta = std::max(bounds.eta, kResidualBound);
    bounds.slack *= static_cast<double>(summed);
    Worst worst;
    for (std::size_t i = 0; i < found.size(); ++i)
      meet_element(worst, bounds, found[i], expected[i], scale[i], static_cast<std::int64_t>(i));
    return worst;
  };
  const Worst rows = meet(times<false>(c, m, n, right_), by_row_, row_scale_, n);
  const Worst cols = meet(from_left<false>(left_, c, m, n), by_col_, col_scale_, m);
  Check check;
  check.method = "projection";
  check.residual = std::max(rows.eta, cols.eta);
  check.worst_row = rows.index;
  check.worst_col = cols.index;
  Worst all = rows;
  all.merge(cols);
  check.verdict = Bounds::of(Distribution::kUniform, k).verdict(all);
  return check;
}

Check TimedAnswer::sampled(const float* c) const {
  const Bounds bounds = Bounds::of(Distribution::kUniform, shape_.k);
  Worst worst;
  for (std::int64_t i = 0; i < expected_.rows(); ++i) {
    for (std::int64_t j = 0; j < expected_.cols(); ++j) {
      const std::int64_t at =
          rows_[static_cast<std::size_t>(i)] * shape_.n + cols_[static_cast<std::size_t>(j)];
      meet_element(worst, bounds, c[at], expected_(i, j), sizes_(i, j), at);
    }
  }
  return check_of(worst, bounds, "sampled", shape_.n);
}

std::vector<Check> TimedAnswer::check(const float* c) const {
  return {projected(c), sampled(c)};
}

}  // namespace gemmlab::submissions
