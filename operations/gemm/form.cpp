#include "operations/gemm/form.h"

#include <algorithm>
#include <cmath>

#include "core/inputs/inputs.h"

namespace gemmlab {
namespace {

std::string too_short(const char* name, const char* matrix, const StoredMatrix& stored) {
  if (stored.stride >= std::max<std::int64_t>(1, stored.cols)) return {};
  return std::string(name) + " is " + std::to_string(stored.stride) + ", less than the " +
         std::to_string(std::max<std::int64_t>(1, stored.cols)) + " columns of " + matrix +
         " as it is stored";
}

/// 0.7, not 0.699999988.
std::string number(float value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

StoredMatrix stored_a(const Shape& shape, const GemmForm& form) {
  return form.transpose_a ? StoredMatrix{shape.k, shape.m, form.lda}
                          : StoredMatrix{shape.m, shape.k, form.lda};
}
StoredMatrix stored_b(const Shape& shape, const GemmForm& form) {
  return form.transpose_b ? StoredMatrix{shape.n, shape.k, form.ldb}
                          : StoredMatrix{shape.k, shape.n, form.ldb};
}
StoredMatrix stored_c(const Shape& shape, const GemmForm& form) {
  return {shape.m, shape.n, form.ldc};
}

std::int64_t span(const StoredMatrix& matrix) {
  return matrix.rows == 0 || matrix.cols == 0 ? 0 : (matrix.rows - 1) * matrix.stride + matrix.cols;
}

GemmForm form_of(const Shape& shape, bool transpose_a, bool transpose_b, std::int64_t lda_extra,
                 std::int64_t ldb_extra, std::int64_t ldc_extra) {
  GemmForm form;
  form.transpose_a = transpose_a;
  form.transpose_b = transpose_b;
  const auto least = [](std::int64_t cols) { return std::max<std::int64_t>(1, cols); };
  form.lda = least(stored_a(shape, form).cols) + lda_extra;
  form.ldb = least(stored_b(shape, form).cols) + ldb_extra;
  form.ldc = least(stored_c(shape, form).cols) + ldc_extra;
  return form;
}

bool is_plain(const Shape& shape, const GemmForm& form) {
  return describe(shape, form).empty();
}

bool scales_only(const Shape& shape, const GemmForm& form) {
  return form.alpha == 0 || shape.m == 0 || shape.n == 0 || shape.k == 0;
}

std::string wrong_form(const Shape& shape, const GemmForm& form) {
  if (shape.m < 0 || shape.n < 0 || shape.k < 0) {
    return "m, n and k are " + std::to_string(shape.m) + ", " + std::to_string(shape.n) + " and " +
           std::to_string(shape.k) + ", and must not be negative";
  }
  if (std::string reason = too_short("lda", "A", stored_a(shape, form)); !reason.empty()) return reason;
  if (std::string reason = too_short("ldb", "B", stored_b(shape, form)); !reason.empty()) return reason;
  return too_short("ldc", "C", stored_c(shape, form));
}

std::int32_t integer_limit(const Shape& shape, const GemmForm& form) {
  const double terms =
      static_cast<double>(shape.k) * std::ceil(std::abs(form.alpha)) + std::ceil(std::abs(form.beta));
  return integer_limit(static_cast<std::int64_t>(std::max(1.0, terms)));
}

std::string describe(const Shape& shape, const GemmForm& form) {
  std::string text;
  const auto add = [&](bool differs, const std::string& part) {
    if (differs) text += (text.empty() ? "" : ", ") + part;
  };
  const GemmForm least = form_of(shape, form.transpose_a, form.transpose_b);
  add(form.transpose_a, "A transposed");
  add(form.transpose_b, "B transposed");
  add(form.alpha != 1, "alpha = " + number(form.alpha));
  add(form.beta != 0, "beta = " + number(form.beta));
  add(form.lda != least.lda, "lda = " + std::to_string(form.lda));
  add(form.ldb != least.ldb, "ldb = " + std::to_string(form.ldb));
  add(form.ldc != least.ldc, "ldc = " + std::to_string(form.ldc));
  return text;
}

}  // namespace gemmlab
