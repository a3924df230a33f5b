// How the reference is held and made: which method serves which shape, the sample, the double-precision
// product.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "operations/gemm/verify_parts.h"
#include "tests/core/products.h"

namespace gemmlab {
namespace {

std::vector<std::string> methods(const Shape& shape, Distribution distribution, bool projected) {
  const std::vector<float> c(static_cast<std::size_t>(shape.c_count()), kNaN);
  const Reference against(shape, distribution, 1, plain_double_product, projected);
  std::vector<std::string> found;
  for (const Check& check : against.check(c.data(), 0)) {
    EXPECT_EQ(check.verdict, Verdict::kIncorrect) << "of nothing but NaN";
    found.push_back(check.method);
  }
  return found;
}

using Names = std::vector<std::string>;

TEST(verify_reference, each_distribution_has_its_methods) {
  const Shape shape{20, 30, 40};
  EXPECT_EQ(methods(shape, Distribution::kInteger, false), Names{"exact"});
  EXPECT_EQ(methods(shape, Distribution::kInteger, true), Names{"exact-projection"});
  for (const Distribution distribution :
       {Distribution::kUniform, Distribution::kNormal, Distribution::kNonnegative, Distribution::kLognormal,
        Distribution::kOutliers, Distribution::kSparse, Distribution::kCancelling}) {
    EXPECT_EQ(methods(shape, distribution, false), Names{"bound"});
    EXPECT_EQ(methods(shape, distribution, true), (Names{"projection", "sampled"}));
  }
}

TEST(verify_reference, shapes_beyond_the_limit_are_projected_unasked) {
  EXPECT_EQ(methods({8, 4, (std::int64_t{1} << 17) + 1}, Distribution::kInteger, false), Names{"exact"});
  const Shape beyond{2048, 2048, 2049};
  EXPECT_EQ(methods(beyond, Distribution::kInteger, false), Names{"exact-projection"});
  EXPECT_EQ(methods(beyond, Distribution::kUniform, false), (Names{"projection", "sampled"}));
}

TEST(verify_reference, a_projection_that_cannot_be_exact_is_refused) {
  EXPECT_THROW(
      Reference({1, std::int64_t{1} << 31, 1 << 23}, Distribution::kInteger, 1, plain_double_product),
      std::invalid_argument);
}

TEST(verify_reference, shapes_without_elements_are_refused) {
  EXPECT_THROW(Reference({0, 1, 1}, Distribution::kUniform, 1, plain_double_product), std::invalid_argument);
  EXPECT_THROW(Reference({1, 1, -1}, Distribution::kUniform, 1, plain_double_product), std::invalid_argument);
}

TEST(verify_reference, says_what_it_is_of) {
  Reference against({3, 4, 100000}, Distribution::kInteger, 1, plain_double_product);
  const Reference moved = std::move(against);
  EXPECT_EQ(moved.shape(), (Shape{3, 4, 100000}));
  EXPECT_EQ(moved.distribution(), Distribution::kInteger);
  EXPECT_EQ(moved.limit(), integer_limit(100000));
}

TEST(verify_reference, the_sample_covers_ends_tile_borders_and_every_stretch) {
  for (const std::int64_t extent : {65, 100, 257, 1000, 4096, 8192, 100003}) {
    const std::vector<std::int64_t> positions = sampled_positions(extent, 64, 1);
    const std::set<std::int64_t> found(positions.begin(), positions.end());
    ASSERT_EQ(found.size(), 64u) << extent;
    EXPECT_TRUE(std::is_sorted(positions.begin(), positions.end()));
    for (const std::int64_t end : {std::int64_t{0}, std::int64_t{1}, extent - 2, extent - 1})
      EXPECT_TRUE(found.count(end));
    for (const std::int64_t tile : {32, 64, 128, 256}) {
      const std::int64_t last = (extent - 1) / tile * tile;
      for (const std::int64_t border : {tile, last}) {
        if (border < 1 || border >= extent) continue;
        EXPECT_TRUE(found.count(border - 1)) << extent << " " << border;
        EXPECT_TRUE(found.count(border)) << extent << " " << border;
      }
    }
    std::int64_t widest = 0;
    for (std::size_t i = 1; i < positions.size(); ++i)
      widest = std::max(widest, positions[i] - positions[i - 1]);
    EXPECT_LE(widest, 2 * extent / 32 + 1) << extent;
  }
  EXPECT_EQ(sampled_positions(64, 64, 1).size(), 64u);
  EXPECT_EQ(sampled_positions(3, 64, 1), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(verify_reference, the_plain_double_product_agrees_with_a_loop_in_long_double) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{3, 5, 7}, Shape{17, 600, 300}, Shape{65, 33, 129}}) {
    const Inputs inputs(shape, Distribution::kUniform, 8);
    const std::vector<double> a(inputs.a.begin(), inputs.a.end());
    const std::vector<double> b(inputs.b.begin(), inputs.b.end());
    std::vector<double> c(static_cast<std::size_t>(shape.c_count()), kNaN);
    plain_double_product(a.data(), b.data(), c.data(), shape.m, shape.n, shape.k);
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t col = 0; col < shape.n; ++col) {
        long double sum = 0;
        for (std::int64_t p = 0; p < shape.k; ++p) {
          sum += static_cast<long double>(a[static_cast<std::size_t>(row * shape.k + p)]) *
                 b[static_cast<std::size_t>(p * shape.n + col)];
        }
        ASSERT_NEAR(c[static_cast<std::size_t>(row * shape.n + col)], static_cast<double>(sum), 1e-13)
            << shape;
      }
    }
  }
}

/// A reference made with another, right product is the same reference.
TEST(verify_reference, the_product_that_is_handed_in_is_the_one_used) {
  int calls = 0;
  const DoubleProduct counted = [&](const double* a, const double* b, double* c, std::int64_t m,
                                    std::int64_t n, std::int64_t k) {
    ++calls;
    plain_double_product(a, b, c, m, n, k);
  };
  const Inputs inputs({20, 30, 40}, Distribution::kUniform, 1);
  const Reference against(inputs.shape, inputs.distribution, inputs.seed, counted);
  EXPECT_EQ(calls, 2) << "R and |A||B|";
  EXPECT_EQ(overall(against.check(product(inputs).data(), 0)), Verdict::kOk);
}

/// Two wrong elements of one row, then of one column, whose errors cancel in that row's or column's
/// projection: the other side has to show them. One of the two signs cancels, whatever the signs of the
/// weights.
TEST(verify_reference, errors_that_cancel_on_one_side_of_a_projection_show_on_the_other) {
  const Inputs inputs({131, 150, 67}, Distribution::kUniform, 1);
  const ProjectedReference projected(
      {inputs.shape, inputs.distribution, inputs.seed, inputs.limit, form_of(inputs.shape)});
  const std::vector<float> right = product(inputs);
  EXPECT_EQ(projected.check(right.data(), 0).verdict, Verdict::kOk);
  const std::size_t first = 40 * 150 + 50;
  for (const std::size_t second : {first + 1, first + 150}) {
    for (const float sign : {1.0f, -1.0f}) {
      std::vector<float> c = right;
      c[first] += 64;
      c[second] += 64 * sign;
      EXPECT_EQ(projected.check(c.data(), 0).verdict, Verdict::kIncorrect) << second << " " << sign;
    }
  }
}

/// So little that adding it to a projected sum changes nothing.
TEST(verify_reference, an_exact_projection_rejects_a_tiny_fraction) {
  const Inputs inputs({131, 150, 67}, Distribution::kInteger, 1);
  const ProjectedReference projected(
      {inputs.shape, inputs.distribution, inputs.seed, inputs.limit, form_of(inputs.shape)});
  std::vector<float> c = product(inputs);
  const auto zero = std::find(c.begin(), c.end(), 0.0f);
  ASSERT_NE(zero, c.end());
  *zero = std::ldexp(1.0f, -60);
  const Check found = projected.check(c.data(), 0);
  EXPECT_EQ(found.verdict, Verdict::kIncorrect);
  EXPECT_EQ(found.worst_row * 150 + found.worst_col, zero - c.begin());
}

}  // namespace
}  // namespace gemmlab
