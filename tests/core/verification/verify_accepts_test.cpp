// Right results that the verifier has to accept, and by how much: a bound that a right program comes near is
// no bound.

#include <gtest/gtest.h>

#include "tests/core/products.h"

namespace gemmlab {
namespace {

constexpr Distribution kCertified[] = {Distribution::kUniform, Distribution::kNormal, Distribution::kInteger};
constexpr double kRightEta = 8;       // half the bound
constexpr double kRightResidual = 2;  // an eighth of it
constexpr double kRightResidualOfFewTerms =
    4;  // sums of a few products are further from normal, with longer tails

void expect_accepted(const Shape& shape, Distribution distribution, const std::vector<Order>& orders) {
  const Inputs inputs(shape, distribution, 5);
  const Reference whole = reference(inputs, false);
  const Reference projected = reference(inputs, true);
  for (const Order order : orders) {
    const std::vector<float> c = product(inputs, order);
    std::vector<Check> checks = whole.check(c.data(), 0);
    for (const Check& check : projected.check(c.data(), 0)) checks.push_back(check);
    for (const Check& check : checks) {
      SCOPED_TRACE(testing::Message()
                   << check.method << ", " << shape << ", order " << static_cast<int>(order));
      EXPECT_EQ(check.verdict, Verdict::kOk);
      EXPECT_LT(check.eta_max, kRightEta);
      EXPECT_LE(check.residual, shape.k < 64 ? kRightResidualOfFewTerms : kRightResidual);
    }
  }
}

TEST(verify_accepts, every_order_of_summation_up_to_k_65536) {
  for (const std::int64_t k : {1, 2, 16, 257, 4096, 65536}) {
    for (const Distribution distribution : kCertified) {
      expect_accepted({k > 1000 ? 9 : 24, k > 1000 ? 11 : 31, k}, distribution, kOrders);
    }
  }
}

TEST(verify_accepts, odd_shapes_whole_and_projected) {
  const Shape shapes[] = {{1, 1, 1},    {1, 1, 7},     {1, 13, 1},    {13, 1, 1},
                          {2, 3, 5},    {1, 5000, 3},  {31, 33, 32},  {5000, 1, 3},
                          {65, 63, 64}, {97, 101, 89}, {257, 255, 9}, {70, 300, 17}};
  for (const Shape& shape : shapes) {
    for (const Distribution distribution : kCertified)
      expect_accepted(shape, distribution, {Order::kForward});
  }
}

TEST(verify_accepts, rotated_sets_against_one_reference) {
  const Shape shape{103, 71, 37};
  for (const Distribution distribution : {Distribution::kUniform, Distribution::kInteger}) {
    for (const bool projected : {false, true}) {
      const Reference against(shape, distribution, 9, plain_double_product, projected);
      for (const std::int64_t rotate : {0, 1, 2, 50, 102, 103, 250}) {
        const Inputs inputs(shape, distribution, 9, rotate);
        std::vector<float> c = product(inputs);
        EXPECT_EQ(overall(against.check(c.data(), rotate)), Verdict::kOk) << "rotate " << rotate;
        EXPECT_EQ(overall(against.check(c.data(), rotate + 1)), Verdict::kIncorrect) << "rotate " << rotate;
        EXPECT_EQ(inputs.unchanged(rotate).verdict, Verdict::kOk);
        // The place is that in C as it lies, not in the base.
        c[5 * 71 + 6] = kNaN;
        const Check found = against.check(c.data(), rotate).front();
        EXPECT_EQ(found.worst_row, 5);
        EXPECT_EQ(found.worst_col, 6);
      }
    }
  }
}

TEST(verify_accepts, minus_zero_for_zero) {
  const Inputs inputs({60, 60, 4}, Distribution::kInteger, 2);
  std::vector<float> c = product(inputs);
  int zeros = 0;
  for (float& value : c) {
    if (value != 0) continue;
    value = -0.0f;
    ++zeros;
  }
  ASSERT_GT(zeros, 0);
  for (const bool projected : {false, true}) {
    EXPECT_EQ(overall(reference(inputs, projected).check(c.data(), 0)), Verdict::kOk);
  }
}

TEST(verify_accepts, inputs_that_no_bound_is_known_for_without_certifying_them) {
  for (const Distribution distribution :
       {Distribution::kNonnegative, Distribution::kLognormal, Distribution::kOutliers, Distribution::kSparse,
        Distribution::kCancelling}) {
    for (const bool projected : {false, true}) {
      const Inputs inputs({20, 30, 5000}, distribution, 2);
      const std::vector<Check> checks = reference(inputs, projected).check(product(inputs).data(), 0);
      for (const Check& check : checks) {
        EXPECT_EQ(check.verdict, Verdict::kUncertified) << to_string(distribution) << " " << check.method;
      }
    }
  }
}

}  // namespace
}  // namespace gemmlab
