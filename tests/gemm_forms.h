#pragma once

// The cases of the reference BLAS' level-3 test of SGEMM (sblat3), with what each of them has to come to. A,
// B and C lie among guards and padding: NaN around A and B, so that whoever uses it is found out by the
// result, and marked floats around C, which must stay what they are. With beta = 0 C itself is NaN, and with
// alpha = 0 so are A and B.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/verification/verify.h"
#include "operations/gemm/implementation.h"

namespace gemmlab {

/// Those of a table that compute gemm.
inline std::vector<const GemmImplementation*> gemm_rows(const std::vector<const Implementation*>& table) {
  std::vector<const GemmImplementation*> rows;
  for (const Implementation* one : table) {
    if (const auto* row = dynamic_cast<const GemmImplementation*>(one)) rows.push_back(row);
  }
  return rows;
}

/// gemm at the shape in types that the row multiplies: float32, or the first of others, on this machine if there is one.
inline Instance taken_at(const Implementation& row, const Shape& shape) {
  Instance instance = gemm_at(shape);  // not of instance_of, which refuses shapes that rows are to refuse
  if (row.meant_for(gemm_at({1, 1, 1}))) return instance;
  const Parameters defaults = complete(row.description(), {});
  Options first;
  for (const Options& options : gemm().odd_options()) {
    const Instance smallest = instance_of(gemm(), {1, 1, 1}, options);
    if (!row.meant_for(smallest)) continue;
    const bool here = row.why_not(smallest, defaults).empty();
    if (here || first.empty()) first = options;
    if (here) break;
  }
  for (const auto& [name, value] : first) instance.options[name] = value;
  return instance;
}

struct FormCase {
  Shape shape;
  GemmForm form;
};

inline std::string name_of(const FormCase& one) {
  const std::string form = describe(one.shape, one.form);
  return "m=" + std::to_string(one.shape.m) + " n=" + std::to_string(one.shape.n) +
         " k=" + std::to_string(one.shape.k) + (form.empty() ? "" : " " + form);
}

/// The sizes, factors and transposes of sblat3, 35 and 65 beside its own sizes.
inline const std::vector<std::int64_t> kFormSizes = {0, 1, 2, 3, 5, 9, 35, 65};
inline constexpr float kFormAlphas[] = {0, 1, 0.7F};
inline constexpr float kFormBetas[] = {0, 1, 1.3F};

/// Every transpose, alpha and beta at this shape. Leading dimensions go round: the least, and beyond it by 1
/// (as sblat3 has it), by different amounts, and by whole fours.
inline void append_forms(std::vector<FormCase>& cases, const Shape& shape) {
  constexpr std::int64_t kExtra[][3] = {{0, 0, 0}, {1, 1, 1}, {3, 5, 2}, {4, 8, 12}};
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const float alpha : kFormAlphas) {
        for (const float beta : kFormBetas) {
          const auto& extra = kExtra[(cases.size() + cases.size() / 36) % 4];
          GemmForm form = form_of(shape, transpose_a, transpose_b, extra[0], extra[1], extra[2]);
          form.alpha = alpha;
          form.beta = beta;
          cases.push_back({shape, form});
        }
      }
    }
  }
}

/// Every m, n and k of these sizes.
inline std::vector<FormCase> form_cases(const std::vector<std::int64_t>& sizes) {
  std::vector<FormCase> cases;
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) append_forms(cases, {m, n, k});
    }
  }
  return cases;
}

/// A, B and C of one case before the call, and what C has to be after it.
class FormProblem {
 public:
  static constexpr std::int64_t kGuard = 64;  ///< floats before and behind each matrix; 256 bytes

  explicit FormProblem(const FormCase& one)
      : case_(one),
        a_(filled(stored_a(one.shape, one.form), one.form.alpha == 0, 1)),
        b_(filled(stored_b(one.shape, one.form), one.form.alpha == 0, 2)),
        c_(filled(stored_c(one.shape, one.form), one.form.beta == 0, 3)) {
    const StoredMatrix c = stored_c(one.shape, one.form);
    // marked, not NaN: a kernel that reads and writes back the same is found as little as one that does not
    std::vector<bool> inside(c_.size());
    for (std::int64_t row = 0; row < c.rows; ++row) {
      for (std::int64_t col = 0; col < c.cols; ++col) inside[kGuard + row * c.stride + col] = true;
    }
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (!inside[i]) c_[i] = 4096.5F + static_cast<float>(i % 512);
    }
    const std::int64_t n = one.shape.n;
    for (std::int64_t p = 0; p < one.shape.k; ++p) {
      for (std::int64_t col = 0; col < n; ++col) {
        op_b_.push_back(
            b_[kGuard + (one.form.transpose_b ? col * one.form.ldb + p : p * one.form.ldb + col)]);
      }
    }
  }

  /// With kGuard floats before and behind.
  const std::vector<float>& a() const { return a_; }
  const std::vector<float>& b() const { return b_; }
  const std::vector<float>& c() const { return c_; }

  /// What is wrong with C as it is after the call; empty where nothing is. `eta` is the bound in units of
  /// u·(|alpha||A||B| + |beta||C|).
  std::string wrong(const std::vector<float>& after, double eta = kEtaBound) const {
    const auto [m, n, k] = case_.shape;
    const GemmForm& form = case_.form;
    std::vector<float> rest = after;
    std::vector<double> sums(static_cast<std::size_t>(n));
    std::vector<double> sizes(static_cast<std::size_t>(n));
    for (std::int64_t row = 0; row < m; ++row) {
      sum_row(row, sums, sizes);
      for (std::int64_t col = 0; col < n; ++col) {
        const std::size_t at = static_cast<std::size_t>(kGuard + row * form.ldc + col);
        const double before = form.beta == 0 ? 0 : double{form.beta} * c_[at];
        const double expected = sums[col] + before;
        const double bound = eta * kUnitRoundoff * (sizes[col] + std::abs(before)) + 1e-44 * (k + 1);
        if (!(std::abs(after[at] - expected) <= bound)) {
          return name_of(case_) + ": C(" + std::to_string(row) + ", " + std::to_string(col) + ") is " +
                 std::to_string(after[at]) + " and should be " + std::to_string(expected);
        }
        rest[at] = c_[at];
      }
    }
    if (rest.size() != c_.size() || std::memcmp(rest.data(), c_.data(), rest.size() * sizeof(float)) != 0) {
      return name_of(case_) + ": floats between or around the rows of C were written";
    }
    return {};
  }

 private:
  static std::vector<float> filled(const StoredMatrix& matrix, bool with_nan, unsigned seed) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> values(static_cast<std::size_t>(span(matrix) + 2 * kGuard), nan);
    unsigned state = seed * 2654435761U + 1;
    for (std::int64_t row = 0; row < matrix.rows && !with_nan; ++row) {
      for (std::int64_t col = 0; col < matrix.cols; ++col) {
        state = state * 1664525U + 1013904223U;
        values[kGuard + row * matrix.stride + col] = static_cast<float>(state >> 8) / (1 << 23) - 1;
      }
    }
    return values;
  }

  /// alpha·op(A)·op(B) of one row, and its terms' magnitudes. Without terms or alpha nothing is read.
  void sum_row(std::int64_t row, std::vector<double>& sums, std::vector<double>& sizes) const {
    const GemmForm& form = case_.form;
    sums.assign(sums.size(), 0);
    sizes.assign(sizes.size(), 0);
    for (std::int64_t p = 0; p < case_.shape.k && form.alpha != 0; ++p) {
      const double factor =
          double{form.alpha} * a_[kGuard + (form.transpose_a ? p * form.lda + row : row * form.lda + p)];
      const float* b = op_b_.data() + p * case_.shape.n;
      for (std::size_t col = 0; col < sums.size(); ++col) {
        const double term = factor * b[col];
        sums[col] += term;
        sizes[col] += std::abs(term);
      }
    }
  }

  FormCase case_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
  std::vector<float> op_b_;  ///< (k, n), for a loop along its rows
};

}  // namespace gemmlab
