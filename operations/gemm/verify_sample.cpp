#include <algorithm>
#include <cmath>
#include <set>

#include "operations/gemm/verify_parts.h"

namespace gemmlab {

namespace {

constexpr std::int64_t kSide = 64;  ///< 64 rows by 64 columns are kSampledElements
static_assert(kSide * kSide == kSampledElements);
constexpr std::int64_t kEdge =
    8;  ///< first and last positions taken; also the edges of C in rotations up to 7
constexpr auto kPositionStream = static_cast<Operand>(64);

Matrix<double> rows_of_a(const ProductSpec& spec, const std::vector<std::int64_t>& rows) {
  const std::int64_t k = spec.shape.k;
  Matrix<double> a(static_cast<std::int64_t>(rows.size()), k);
#pragma omp parallel for schedule(static) if (a.count() > kWorthThreads)
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t p = 0; p < k; ++p) {
      a(i, p) = spec.drawn(Operand::kA, rows[i] * k + p);
    }
  }
  return a;
}

Matrix<double> cols_of_b(const ProductSpec& spec, const std::vector<std::int64_t>& cols) {
  const Shape& shape = spec.shape;
  Matrix<double> b(shape.k, static_cast<std::int64_t>(cols.size()));
#pragma omp parallel for schedule(static) if (b.count() > kWorthThreads)
  for (std::int64_t p = 0; p < shape.k; ++p) {
    for (std::int64_t j = 0; j < b.cols(); ++j) {
      b(p, j) = spec.drawn(Operand::kB, p * shape.n + cols[j]);
    }
  }
  return b;
}

}  // namespace

std::vector<std::int64_t> sampled_positions(std::int64_t extent, std::int64_t most, std::uint64_t seed) {
  std::set<std::int64_t> chosen;
  const auto take = [&](std::int64_t position) {
    if (0 <= position && position < extent && static_cast<std::int64_t>(chosen.size()) < most)
      chosen.insert(position);
  };
  if (extent <= most) {
    for (std::int64_t position = 0; position < extent; ++position) take(position);
    return {chosen.begin(), chosen.end()};
  }
  for (std::int64_t i = 0; i < kEdge; ++i) take(i), take(extent - 1 - i);
  for (const std::int64_t tile : {32, 64, 128, 256}) {
    const std::int64_t last = (extent - 1) / tile * tile;
    for (const std::int64_t border : {tile, last}) take(border - 1), take(border);
  }
  const std::int64_t stretches = most - static_cast<std::int64_t>(chosen.size());
  for (std::int64_t s = 0; s < stretches; ++s) {
    const std::int64_t begin = extent * s / stretches;
    const std::int64_t width = extent * (s + 1) / stretches - begin;
    const float fraction = element(Distribution::kNonnegative, seed, kPositionStream, s, 0);
    std::int64_t position = begin + static_cast<std::int64_t>(fraction * static_cast<double>(width));
    while (chosen.count(position) > 0) position = (position + 1) % extent;
    take(position);
  }
  return {chosen.begin(), chosen.end()};
}

SampledReference::SampledReference(const ProductSpec& spec, const DoubleProduct& product) : spec_(spec) {
  const auto [m, n, k] = spec.shape;
  const std::int64_t col_count = std::min(n, kSampledElements / std::min(m, kSide));
  rows_ = sampled_positions(m, std::min(m, kSampledElements / std::min(col_count, kSide)), spec.seed);
  cols_ = sampled_positions(n, col_count, spec.seed + 1);
  Matrix<double> a = rows_of_a(spec, rows_);
  Matrix<double> b = cols_of_b(spec, cols_);
  r_ = Matrix<double>(a.rows(), b.cols());
  product(a.data(), b.data(), r_.data(), a.rows(), b.cols(), k);
  combine_with_c(r_, of_form);
  if (spec.exact()) return;
  for (std::int64_t i = 0; i < a.count(); ++i) a.data()[i] = std::abs(a.data()[i]);
  for (std::int64_t i = 0; i < b.count(); ++i) b.data()[i] = std::abs(b.data()[i]);
  s_ = Matrix<double>(a.rows(), b.cols());
  product(a.data(), b.data(), s_.data(), a.rows(), b.cols(), k);
  combine_with_c(s_, size_of_form);
}

template <typename Combine>
void SampledReference::combine_with_c(Matrix<double>& product, Combine&& combine) const {
  if (!spec_.scales()) return;
  for (std::int64_t i = 0; i < product.rows(); ++i) {
    for (std::int64_t j = 0; j < product.cols(); ++j) {
      const std::int64_t at = rows_[i] * spec_.shape.n + cols_[j];
      const float c = spec_.drawn(Operand::kC, at);
      product(i, j) = combine(spec_.form, product(i, j), c);
    }
  }
}

template <typename T>
Check SampledReference::check(const T* c, std::int64_t rotate) const {
  const std::int64_t n = spec_.shape.n;
  const Bounds bounds = spec_.bounds();
  Worst worst;
  for (std::int64_t i = 0; i < r_.rows(); ++i) {
    const std::int64_t row = spec_.row_of(rows_[i], rotate);
    for (std::int64_t j = 0; j < r_.cols(); ++j) {
      const std::int64_t at = row * n + cols_[j];
      const auto value = static_cast<double>(c[row * spec_.form.ldc + cols_[j]]);
      if (spec_.exact()) {
        meet_exact(worst, value, spec_.expected(r_(i, j)), at);
      } else {
        meet_element(worst, bounds, value, r_(i, j), s_(i, j), at);
      }
    }
  }
  return check_of(worst, bounds, spec_.exact() ? "exact" : "sampled", n);
}

template Check SampledReference::check(const float* c, std::int64_t rotate) const;
template Check SampledReference::check(const std::int32_t* c, std::int64_t rotate) const;

}  // namespace gemmlab
