// What a Checker does where C is right, but with fewer digits than sums in float keep.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "submissions/judge/checking/checker.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

constexpr const char* kFastAlgorithm = "fast-algorithm";
constexpr const char* kFastHint =
    "The errors are small beside the largest elements, but not beside the small ones. That is how Strassen's "
    "algorithm, and Winograd's form of it, lose digits: they add and subtract blocks before they multiply. "
    "Sums in the usual order keep them.";
/// Roundings of the largest product of an element of A and one of B, per term, that a fast algorithm of some levels leaves.
constexpr double kRoundingsInNorm = 1 << 8;

/// A failure at the element `index` of C, with its value and the right one.
Failure at_element(const Shape& shape, std::int64_t index, const std::vector<double>& right, const float* c) {
  Failure failure;
  failure.shape = shape;
  failure.element = true;
  failure.row = index / shape.n;
  failure.col = index % shape.n;
  failure.expected = right[static_cast<std::size_t>(index)];
  failure.got = c[index];
  return failure;
}

}  // namespace

/// A·B in double of matrices as they are.
std::vector<double> product_of(const std::vector<float>& a, const std::vector<float>& b, const Shape& shape) {
  std::vector<double> c(static_cast<std::size_t>(shape.c_count()));
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t k = 0; k < shape.k; ++k) {
      const double factor = a[static_cast<std::size_t>(row * shape.k + k)];
      const float* b_row = b.data() + k * shape.n;
      double* c_row = c.data() + row * shape.n;
      for (std::int64_t col = 0; col < shape.n; ++col) c_row[col] += factor * b_row[col];
    }
  }
  return c;
}

/// Are all errors small against the largest element of |A||B|, though not each against its own? So it is with
/// fast algorithms such as Strassen's: they lose digits where terms cancel.
bool Checker::small_in_norm(const Inputs& inputs) {
  std::vector<float> a = made(inputs, Operand::kA);
  std::vector<float> b = made(inputs, Operand::kB);
  const std::vector<double> right = right_answer(inputs, product_);
  for (float& value : a) value = std::abs(value);
  for (float& value : b) value = std::abs(value);
  const std::vector<double> sizes = product_of(a, b, inputs.shape);
  const double bound = kEtaReduced * kUnitRoundoff * *std::max_element(sizes.begin(), sizes.end());
  // the first 1/64 of a whole element: what is wrong by more than rounding is further off
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!(std::abs(c()[i] - right[i]) <= bound)) return false;
  }
  return true;
}

/// Does one large element of A cost rows of C their digits that it has no part in? So it is where blocks are added before they
/// are multiplied. What clamps or rounds such an element spoils its own row alone, or everything by far more.
std::optional<Failure> Checker::mixed_rows(const Inputs& inputs) {
  Inputs large = inputs;
  large.kind = Kind::kOneLarge;
  if (!call(large, Placement::kAtStart, kPoisonC)) return {};
  const Shape& shape = large.shape;
  const std::vector<double> right = right_answer(large, product_);
  const double in_norm = kRoundingsInNorm * kUnitRoundoff * kLargeElement * static_cast<double>(shape.k);
  const double of_other_rows = kEtaReduced * kUnitRoundoff * static_cast<double>(shape.k);
  std::int64_t worst = -1;
  for (std::int64_t i = 0; i < shape.c_count(); ++i) {
    const double error = std::abs(c()[i] - right[static_cast<std::size_t>(i)]);
    if (!(error <= in_norm)) return {};
    const bool other_row = i >= shape.n;
    if (other_row && error > of_other_rows &&
        (worst < 0 || error > std::abs(c()[worst] - right[static_cast<std::size_t>(worst)])))
      worst = i;
  }
  if (worst < 0) return {};
  Failure failure = at_element(shape, worst, right, c());
  failure.verdict = Judged::kReducedPrecision;
  failure.pattern = kFastAlgorithm;
  failure.explanation = fmt::format(
      "It adds blocks before it multiplies them, as Strassen's algorithm does: at {} one large element of A, "
      "{:.0f} in row 0, costs other rows of C their digits. Row {}, column {} has no part in it, and is "
      "{:.6g} rather than {:.6g}.",
      in_students_words(shape), kLargeElement, failure.row, failure.col, failure.got, failure.expected);
  failure.hint = kFastHint;
  return failure;
}

/// Elements of C that are 0 and should be small, where all others are as exact as sums in float: an absolute tolerance. Adds the
/// failure.
bool Checker::small_is_zero(const Inputs& inputs) {
  const std::vector<double> right = right_answer(inputs, product_);
  const double bound = (kEtaBound * kUnitRoundoff + unit_roundoff(setup_.solve.types.result)) *
                       static_cast<double>(inputs.shape.k);
  std::int64_t zeros = 0, largest = -1;
  bool others = false;  // are there, exact and not 0?
  for (std::int64_t i = 0; i < inputs.shape.c_count(); ++i) {
    const double value = right[static_cast<std::size_t>(i)];
    if (std::abs(c()[i] - value) <= bound) {
      others = others || c()[i] != 0;
      continue;
    }
    if (c()[i] != 0) return false;
    ++zeros;
    if (largest < 0 || std::abs(value) > std::abs(right[static_cast<std::size_t>(largest)])) largest = i;
  }
  if (zeros == 0 || !others) return false;  // a C of zeros tells of no tolerance
  Failure failure = at_element(inputs.shape, largest, right, c());
  failure.pattern = "small-is-zero";
  failure.got = 0;  // told without the sign that a zero may have
  failure.wrong = zeros;
  failure.explanation =
      fmt::format("Small results are 0: at {} {} of {} elements, up to {:.3g}; all others are exact.",
                  in_students_words(inputs.shape), zeros, inputs.shape.c_count(), std::abs(failure.expected));
  failure.hint =
      "Look for a comparison with a small constant (fabs(sum) < 1e-2f): what is small beside 1 need not be "
      "small "
      "beside the rest of C.";
  if (!has_failed_by("small-is-zero")) result_.failures.push_back(failure);
  return true;
}

/// Is A added to B before anything is multiplied, as in Winograd's inner product? Its errors grow with the square of the larger
/// of the two, where A is scaled up and B is not, and stay under what that explains: nothing is clamped.
std::optional<Failure> Checker::mixed_operands(const Inputs& inputs) {
  Inputs scaled = inputs;
  scaled.kind = Kind::kLargeA;
  if (!call(scaled, Placement::kAtStart, kPoisonC)) return {};
  const Shape& shape = scaled.shape;
  const std::vector<double> right = right_answer(scaled, product_);
  constexpr double kRoundings = 4;
  const double terms = static_cast<double>(shape.k);
  const double mixed = kRoundings * kUnitRoundoff * terms * (kLargeA + 1) * (kLargeA + 1);
  const double usual = kEtaReduced * kUnitRoundoff / kLargeA * std::sqrt(terms);
  double most = 0;
  std::int64_t worst = 0;
  for (std::int64_t i = 0; i < shape.c_count(); ++i) {
    const double error = std::abs(c()[i] - right[static_cast<std::size_t>(i)]);
    if (!(error <= mixed)) return {};
    if (error > most) worst = i;
    most = std::max(most, error);
  }
  if (most <= usual) return {};
  Failure failure = at_element(shape, worst, right, c());
  failure.verdict = Judged::kReducedPrecision;
  failure.pattern = kFastAlgorithm;
  failure.explanation = fmt::format(
      "It adds elements of A to elements of B before it multiplies, as Winograd's inner product does: at {} "
      "with A {:g} "
      "times as large as B the errors grow with the square of A.",
      in_students_words(shape), kLargeA);
  failure.hint =
      "(a + b')(a' + b) - aa' - bb' loses the digits of the smaller operand. Sums of products a·b keep them.";
  return failure;
}

void Checker::imprecise(const Inputs& inputs, const Check& check, bool cancelled) {
  const bool known = std::any_of(result_.failures.begin(), result_.failures.end(),
                                 [](const Failure& one) { return one.verdict == Judged::kReducedPrecision; });
  if (known) return;
  const std::vector<double> right = right_answer(inputs, product_);
  const std::int64_t at = check.worst_row * inputs.shape.n + check.worst_col;
  const Diagnosis diagnosis =
      reduced_precision(inputs.shape, check.worst_row, check.worst_col, right[static_cast<std::size_t>(at)],
                        c()[at], check.eta_max, setup_.solve.types);
  Failure failure = failure_from(diagnosis, inputs.shape);
  failure.verdict = Judged::kReducedPrecision;
  if (cancelled) {
    failure.pattern = kFastAlgorithm;
    failure.hint = kFastHint;
  } else if (auto fast = setup_.solve.types.plain() ? mixed_rows(inputs) : std::nullopt) {
    failure = *std::move(fast);
  }
  result_.failures.push_back(std::move(failure));
}

}  // namespace gemmlab::submissions
