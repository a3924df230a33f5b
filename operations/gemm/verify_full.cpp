#include <cmath>

#include "operations/gemm/verify_parts.h"
#include "operations/gemm/verify_rows.h"

namespace gemmlab {

namespace {

Matrix<double> in_double(const ProductSpec& spec, Operand operand) {
  constexpr std::int64_t kPiece = 2048;
  Matrix<double> wide(spec.rows(operand), spec.cols(operand));
#pragma omp parallel for schedule(static) if (wide.count() > kWorthThreads)
  for (std::int64_t first = 0; first < wide.count(); first += kPiece) {
    float piece[kPiece];
    const std::int64_t count = std::min(kPiece, wide.count() - first);
    spec.draw(operand, first, count, piece);
    for (std::int64_t i = 0; i < count; ++i) wide.data()[first + i] = piece[i];
  }
  return wide;
}

void make_absolute(Matrix<double>& matrix) {
#pragma omp parallel for schedule(static) if (matrix.count() > kWorthThreads)
  for (std::int64_t i = 0; i < matrix.count(); ++i) matrix.data()[i] = std::abs(matrix.data()[i]);
}

/// Every element of `product` becomes what `combine` makes of it and of C's before the call.
template <typename Combine>
void combine_with_c(Matrix<double>& product, const ProductSpec& spec, Combine&& combine) {
  if (!spec.scales()) return;
#pragma omp parallel for schedule(static) if (product.count() > kWorthThreads)
  for (std::int64_t i = 0; i < product.count(); ++i) {
    const float c = spec.drawn(Operand::kC, i);
    product.data()[i] = combine(spec.form, product.data()[i], c);
  }
}

}  // namespace

FullReference::FullReference(const ProductSpec& spec, const DoubleProduct& product)
    : spec_(spec), r_(spec.shape.m, spec.shape.n) {
  const Shape& shape = spec.shape;
  Matrix<double> a = in_double(spec, Operand::kA);
  Matrix<double> b = in_double(spec, Operand::kB);
  product(a.data(), b.data(), r_.data(), shape.m, shape.n, shape.k);
  combine_with_c(r_, spec, of_form);
  if (spec.exact()) return;
  make_absolute(a);
  make_absolute(b);
  s_ = Matrix<double>(shape.m, shape.n);
  product(a.data(), b.data(), s_.data(), shape.m, shape.n, shape.k);
  combine_with_c(s_, spec, size_of_form);
}

template <typename T>
Check FullReference::check(const T* c, std::int64_t rotate) const {
  const std::int64_t m = spec_.shape.m;
  const std::int64_t n = spec_.shape.n;
  const Bounds bounds = spec_.bounds();
  const Worst worst = over_rows(m, n, [&, cols = n](Worst& mine, std::int64_t row) {
    const T* c_row = c + row * spec_.form.ldc;
    const double* r_row = &r_(spec_.base_row(row, rotate), 0);
    if (spec_.exact()) {
      for (std::int64_t col = 0; col < cols; ++col)
        meet_exact(mine, c_row[col], spec_.expected(r_row[col]), row * cols + col);
      return;
    }
    const double* s_row = &s_(spec_.base_row(row, rotate), 0);
    for (std::int64_t col = 0; col < cols; ++col) {
      meet_element(mine, bounds, c_row[col], r_row[col], s_row[col], row * cols + col);
    }
  });
  return check_of(worst, bounds, spec_.exact() ? "exact" : "bound", n);
}

template Check FullReference::check(const float* c, std::int64_t rotate) const;
template Check FullReference::check(const std::int32_t* c, std::int64_t rotate) const;

}  // namespace gemmlab
