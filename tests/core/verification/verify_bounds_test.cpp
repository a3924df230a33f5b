// The bounds themselves, to either side; verdicts put together; inputs that were changed.

#include <gtest/gtest.h>

#include "core/verification/verify_element.h"
#include "tests/core/products.h"

namespace gemmlab {
namespace {

/// R and |A||B| of one element, by a loop of its own.
struct Truth {
  double r = 0;
  double s = 0;
};
Truth truth(const Inputs& inputs, std::int64_t row, std::int64_t col) {
  Truth found;
  for (std::int64_t p = 0; p < inputs.shape.k; ++p) {
    const double term = static_cast<double>(inputs.a[static_cast<std::size_t>(row * inputs.shape.k + p)]) *
                        inputs.b[static_cast<std::size_t>(p * inputs.shape.n + col)];
    found.r += term;
    found.s += std::abs(term);
  }
  return found;
}

/// The last float for which eta stays within `bound`.
float last_within(const Truth& at, double bound) {
  auto value = static_cast<float>(at.r + bound * kUnitRoundoff * at.s);
  while (std::abs(value - at.r) > bound * kUnitRoundoff * at.s) value = std::nextafter(value, -kInfinity);
  while (std::abs(std::nextafter(value, kInfinity) - at.r) <= bound * kUnitRoundoff * at.s) {
    value = std::nextafter(value, kInfinity);
  }
  return value;
}

TEST(verify_bounds, an_element_turns_from_ok_to_reduced_to_incorrect_within_one_float) {
  const Inputs inputs({45, 37, 61}, Distribution::kUniform, 4);
  const std::vector<float> right = product(inputs);
  for (const bool projected : {false, true}) {
    const Reference against = reference(inputs, projected);
    const std::int64_t row = 44;  // a corner: sampled where C is projected
    const std::int64_t col = 36;
    const Truth at = truth(inputs, row, col);
    const auto verdict = [&](float value) {
      std::vector<float> c = right;
      c.back() = value;
      const Check check = against.check(c.data(), 0).back();
      EXPECT_EQ(check.worst_row, row);
      EXPECT_EQ(check.worst_col, col);
      EXPECT_NEAR(check.eta_max, std::abs(value - at.r) / (kUnitRoundoff * at.s), 1e-3 * check.eta_max);
      return check.verdict;
    };
    const float ok = last_within(at, kEtaBound);
    EXPECT_EQ(verdict(ok), Verdict::kOk);
    EXPECT_EQ(verdict(std::nextafter(ok, kInfinity)), Verdict::kReducedPrecision);
    const float reduced = last_within(at, kEtaReduced);
    EXPECT_EQ(verdict(reduced), Verdict::kReducedPrecision);
    EXPECT_EQ(verdict(std::nextafter(reduced, kInfinity)), Verdict::kIncorrect);
  }
}

TEST(verify_bounds, nonnegative_inputs_are_held_to_the_larger_of_k_and_16) {
  for (const std::int64_t k : {5, 61}) {
    const Inputs inputs({3, 4, k}, Distribution::kNonnegative, 4);
    const Reference against = reference(inputs, false);
    std::vector<float> c = product(inputs);
    const float last = last_within(truth(inputs, 2, 3), k == 5 ? 16 : 61);
    c.back() = last;
    EXPECT_EQ(overall(against.check(c.data(), 0)), Verdict::kUncertified) << k;
    c.back() = std::nextafter(last, kInfinity);
    EXPECT_EQ(overall(against.check(c.data(), 0)), Verdict::kIncorrect) << k;
  }
}

Verdict met(double c, double r, double s, std::int64_t k = 10) {
  const Bounds bounds = Bounds::of(Distribution::kUniform, k);
  Worst worst;
  meet_element(worst, bounds, c, r, s, 0);
  return bounds.verdict(worst);
}

TEST(verify_bounds, where_the_reference_is_not_finite_c_is_the_same_infinity_or_a_nan) {
  const double infinity = kInfinity;
  const double nan = kNaN;
  EXPECT_EQ(met(infinity, infinity, infinity), Verdict::kOk);
  EXPECT_EQ(met(nan, infinity, infinity), Verdict::kOk);
  EXPECT_EQ(met(nan, nan, infinity), Verdict::kOk);
  EXPECT_EQ(met(-infinity, infinity, infinity), Verdict::kIncorrect);
  EXPECT_EQ(met(1e30, infinity, infinity), Verdict::kIncorrect);
  EXPECT_EQ(met(infinity, nan, infinity), Verdict::kIncorrect);
  EXPECT_EQ(met(0, nan, nan), Verdict::kIncorrect);
}

TEST(verify_bounds, where_the_reference_is_finite_c_is_too) {
  EXPECT_EQ(met(kNaN, 1, 1), Verdict::kIncorrect);
  EXPECT_EQ(met(kInfinity, 1, 1), Verdict::kIncorrect);
  EXPECT_EQ(met(kNaN, 0, 0), Verdict::kIncorrect);
}

TEST(verify_bounds, an_underflow_of_each_product_is_allowed_and_no_more) {
  const double step = std::ldexp(1.0, -149);
  EXPECT_EQ(met(0, 0, 0), Verdict::kOk);
  EXPECT_EQ(met(0, 10 * step, 10 * step, 10), Verdict::kOk);
  EXPECT_EQ(met(0, 11 * step, 11 * step, 10), Verdict::kIncorrect);
  EXPECT_EQ(met(step, 0, 0, 1), Verdict::kOk);
  EXPECT_EQ(met(2 * step, 0, 0, 1), Verdict::kIncorrect);
}

Check with(const char* method, Verdict verdict) {
  return {method, 0, 0, 0, 0, verdict};
}

TEST(verify_bounds, the_overall_verdict_is_the_worst_and_reduced_precision_needs_a_passed_exact_check) {
  const Check exact = with("exact", Verdict::kOk);
  const Check projected = with("exact-projection", Verdict::kOk);
  const Check good = with("bound", Verdict::kOk);
  const Check reduced = with("bound", Verdict::kReducedPrecision);
  const Check wrong = with("inputs-unchanged", Verdict::kIncorrect);
  const Check loose = with("bound", Verdict::kUncertified);
  EXPECT_EQ(overall({}), Verdict::kIncorrect);
  EXPECT_EQ(overall({exact, good}), Verdict::kOk);
  EXPECT_EQ(overall({good}), Verdict::kOk);
  EXPECT_EQ(overall({exact, good, wrong}), Verdict::kIncorrect);
  EXPECT_EQ(overall({exact, reduced}), Verdict::kReducedPrecision);
  EXPECT_EQ(overall({reduced, projected}), Verdict::kReducedPrecision);
  EXPECT_EQ(overall({reduced}), Verdict::kIncorrect);
  EXPECT_EQ(overall({reduced, with("exact", Verdict::kIncorrect)}), Verdict::kIncorrect);
  EXPECT_EQ(overall({exact, loose}), Verdict::kUncertified);
  EXPECT_EQ(overall({exact, loose, reduced}), Verdict::kReducedPrecision);
}

TEST(verify_bounds, a_changed_input_is_found_and_its_first_place_named) {
  const Shape shape{70, 1500, 33};
  for (const Distribution distribution : {Distribution::kUniform, Distribution::kInteger}) {
    Inputs inputs(shape, distribution, 6);
    EXPECT_EQ(inputs.unchanged().verdict, Verdict::kOk);
    EXPECT_EQ(inputs.unchanged().worst_row, -1);
    EXPECT_EQ(inputs.unchanged(1).verdict, Verdict::kIncorrect) << "another rotation";

    float& in_b = inputs.b[7 * 1500 + 1400];
    in_b = std::nextafter(in_b, kInfinity);
    inputs.b.back() = kNaN;
    Check found = inputs.unchanged();
    EXPECT_EQ(found.method, "inputs-unchanged");
    EXPECT_EQ(found.verdict, Verdict::kIncorrect);
    EXPECT_EQ(found.worst_row, 7);
    EXPECT_EQ(found.worst_col, 33 + 1400);

    inputs.a.back() = -inputs.a.back();
    found = inputs.unchanged();
    EXPECT_EQ(found.worst_row, 69);
    EXPECT_EQ(found.worst_col, 32);
  }
}

TEST(verify_bounds, verdicts_have_the_names_that_readers_expect) {
  EXPECT_STREQ(to_string(Verdict::kOk), "ok");
  EXPECT_STREQ(to_string(Verdict::kReducedPrecision), "reduced-precision");
  EXPECT_STREQ(to_string(Verdict::kIncorrect), "incorrect");
  EXPECT_STREQ(to_string(Verdict::kUncertified), "uncertified");
}

}  // namespace
}  // namespace gemmlab
