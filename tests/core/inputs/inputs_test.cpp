#include "core/inputs/inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/element_type.h"

namespace gemmlab {
namespace {

constexpr Distribution kAll[] = {
    Distribution::kUniform,   Distribution::kNormal,   Distribution::kInteger, Distribution::kNonnegative,
    Distribution::kLognormal, Distribution::kOutliers, Distribution::kSparse,  Distribution::kCancelling,
    Distribution::kRelu,      Distribution::kBfloat16};

/// Elements as whole numbers of their smallest step. They came from another program in another language.
struct Golden {
  std::uint64_t seed;
  Operand operand;
  std::int64_t index;
  std::int32_t uniform;      ///< · 2⁻²³
  std::int32_t normal;       ///< · 2⁻²¹
  std::int32_t integer;      ///< limit 15
  std::int32_t nonnegative;  ///< · 2⁻²⁴
};
constexpr std::int64_t kFar = std::int64_t{1} << 40;
constexpr Golden kGolden[] = {
    {1, Operand::kA, 0, 3246594, 4387740, 6, 11635202},
    {1, Operand::kA, 1, 7914934, 289808, 15, 16303542},
    {1, Operand::kA, 2, -1231971, -2387607, -3, 7156637},
    {1, Operand::kA, kFar, 4174923, 676495, 8, 12563531},
    {1, Operand::kB, 0, 2022377, -504312, 4, 10410985},
    {1, Operand::kB, 1, -160153, 67334, -1, 8228455},
    {1, Operand::kB, 2, -597139, -379174, -2, 7791469},
    {1, Operand::kB, kFar, 3652339, -1682259, 7, 12040947},
    {~0ull, Operand::kB, 0, 382796, 2189573, 1, 8771404},
    {~0ull, Operand::kB, 1, -7287766, 3137622, -14, 1100842},
    {~0ull, Operand::kB, 2, 7761186, -1712254, 14, 16149794},
    {~0ull, Operand::kB, kFar, -5560740, -3590146, -10, 2827868},
};

TEST(inputs, elements_are_those_laid_down_once_and_for_all) {
  for (const Golden& g : kGolden) {
    const auto value = [&](Distribution distribution) {
      return element(distribution, g.seed, g.operand, g.index, 15);
    };
    EXPECT_EQ(value(Distribution::kUniform), std::ldexp(static_cast<float>(g.uniform), -23)) << g.index;
    EXPECT_EQ(value(Distribution::kNormal), std::ldexp(static_cast<float>(g.normal), -21)) << g.index;
    EXPECT_EQ(value(Distribution::kInteger), static_cast<float>(g.integer)) << g.index;
    EXPECT_EQ(value(Distribution::kNonnegative), std::ldexp(static_cast<float>(g.nonnegative), -24))
        << g.index;
  }
}

TEST(inputs, the_hard_distributions_follow_from_the_plain_ones) {
  int outliers = 0;
  int nonzero = 0;
  for (std::int64_t i = 0; i < 65536; ++i) {
    const auto value = [&](Distribution distribution, Operand operand, std::int64_t index) {
      return element(distribution, 5, operand, index, 15);
    };
    const float uniform = value(Distribution::kUniform, Operand::kA, i);
    const double x = 2 * value(Distribution::kNormal, Operand::kA, i);
    EXPECT_EQ(value(Distribution::kLognormal, Operand::kA, i),
              std::ldexp(1 + (x - std::floor(x)), static_cast<int>(std::floor(x))));
    const float outlier = value(Distribution::kOutliers, Operand::kA, i);
    EXPECT_TRUE(outlier == uniform || outlier == 1024 * uniform);
    outliers += outlier != uniform;
    const float sparse = value(Distribution::kSparse, Operand::kA, i);
    EXPECT_TRUE(sparse == 0 || sparse == uniform);
    nonzero += sparse != 0;
    EXPECT_EQ(value(Distribution::kSparse, Operand::kB, i), value(Distribution::kUniform, Operand::kB, i));
    EXPECT_EQ(value(Distribution::kCancelling, Operand::kA, i),
              i / 512 % 2 == 0 ? uniform : -value(Distribution::kUniform, Operand::kA, i - 512));
    const float near_one = value(Distribution::kCancelling, Operand::kB, i);
    EXPECT_TRUE(near_one >= 1 && near_one < 1 + 0x1p-7f);
    const float normal = value(Distribution::kNormal, Operand::kB, i);
    EXPECT_EQ(value(Distribution::kRelu, Operand::kB, i), normal > 0 ? normal : 0);
    EXPECT_EQ(value(Distribution::kBfloat16, Operand::kB, i), rounded(ElementType::kBfloat16, normal));
  }
  EXPECT_NEAR(outliers, 64, 24);
  EXPECT_EQ(nonzero, outliers);
}

TEST(inputs, fill_writes_the_elements_in_row_major_order_whatever_the_size) {
  const std::int64_t shapes[][2] = {{1, 1}, {1, 5000}, {5000, 1}, {3, 4097}, {64, 64}, {257, 129}};
  for (const Distribution distribution : kAll) {
    for (const auto& [rows, cols] : shapes) {
      std::vector<float> values(static_cast<std::size_t>(rows * cols));
      fill(values.data(), rows, cols, distribution, 7, Operand::kB, 0, 9);
      for (std::int64_t i = 0; i < rows * cols; ++i) {
        ASSERT_EQ(values[static_cast<std::size_t>(i)], element(distribution, 7, Operand::kB, i, 9))
            << to_string(distribution) << " " << rows << "x" << cols << " at " << i;
      }
    }
  }
}

TEST(inputs, a_rotated_fill_holds_the_rows_of_the_base_moved_up) {
  constexpr std::int64_t kRows = 101;
  constexpr std::int64_t kCols = 87;
  std::vector<float> values(kRows * kCols);
  for (const std::int64_t rotate :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{50}, kRows - 1, kRows, 3 * kRows + 7}) {
    fill(values.data(), kRows, kCols, Distribution::kUniform, 3, Operand::kA, rotate, 15);
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t col = 0; col < kCols; ++col) {
        const std::int64_t base = (row + rotate) % kRows * kCols + col;
        ASSERT_EQ(values[static_cast<std::size_t>(row * kCols + col)],
                  element(Distribution::kUniform, 3, Operand::kA, base, 15))
            << "rotate " << rotate << ", row " << row << ", col " << col;
      }
    }
  }
}

TEST(inputs, another_seed_or_operand_gives_other_elements) {
  for (const Distribution distribution :
       {Distribution::kUniform, Distribution::kNormal, Distribution::kNonnegative}) {
    int same = 0;
    for (std::int64_t i = 0; i < 1000; ++i) {
      const float base = element(distribution, 1, Operand::kA, i, 15);
      same += base == element(distribution, 2, Operand::kA, i, 15);
      same += base == element(distribution, 1, Operand::kB, i, 15);
    }
    EXPECT_LE(same, 2) << to_string(distribution);
  }
}

struct Moments {
  double mean = 0;
  double variance = 0;
  float lowest = 1e30f;
  float highest = -1e30f;
};

Moments moments(Distribution distribution, std::int32_t limit) {
  constexpr std::int64_t kCount = 1 << 20;
  std::vector<float> values(kCount);
  fill_range(values.data(), 0, kCount, distribution, 11, Operand::kA, limit);
  Moments found;
  for (const float value : values) {
    found.mean += value / static_cast<double>(kCount);
    found.variance += static_cast<double>(value) * value / static_cast<double>(kCount);
    found.lowest = std::min(found.lowest, value);
    found.highest = std::max(found.highest, value);
  }
  found.variance -= found.mean * found.mean;
  return found;
}

TEST(inputs, distributions_have_their_mean_variance_and_range) {
  const Moments uniform = moments(Distribution::kUniform, 15);
  EXPECT_NEAR(uniform.mean, 0, 0.004);
  EXPECT_NEAR(uniform.variance, 1.0 / 3, 0.003);
  EXPECT_GE(uniform.lowest, -1.0f);
  EXPECT_LT(uniform.highest, 1.0f);

  const Moments normal = moments(Distribution::kNormal, 15);
  EXPECT_NEAR(normal.mean, 0, 0.006);
  EXPECT_NEAR(normal.variance, 1, 0.01);
  EXPECT_LT(normal.lowest, -4.0f);
  EXPECT_GT(normal.highest, 4.0f);
  EXPECT_LE(std::max(-normal.lowest, normal.highest), 6.0f);

  const Moments nonnegative = moments(Distribution::kNonnegative, 15);
  EXPECT_NEAR(nonnegative.mean, 0.5, 0.002);
  EXPECT_GE(nonnegative.lowest, 0.0f);
  EXPECT_LT(nonnegative.highest, 1.0f);
}

TEST(inputs, integers_take_every_nonzero_value_up_to_the_limit_and_no_other) {
  for (const std::int32_t limit : {1, 2, 15}) {
    std::vector<float> values(20000);
    fill_range(values.data(), 0, 20000, Distribution::kInteger, 5, Operand::kB, limit);
    const std::set<float> met(values.begin(), values.end());
    EXPECT_EQ(met.size(), static_cast<std::size_t>(2 * limit));
    EXPECT_EQ(met.count(0.0f), 0u);
    EXPECT_EQ(*met.begin(), static_cast<float>(-limit));
    EXPECT_EQ(*met.rbegin(), static_cast<float>(limit));
  }
}

TEST(inputs, the_integer_limit_is_the_largest_that_keeps_every_sum_exact) {
  constexpr std::int64_t kExact = 1 << 24;
  for (std::int64_t k = 1; k < kExact; k += 1 + k / 97) {
    const std::int64_t limit = integer_limit(k);
    ASSERT_GE(limit, 1);
    ASSERT_LE(limit, 15);
    ASSERT_LT(k * limit * limit, kExact) << k;
    if (limit < 15) {
      ASSERT_GE(k * (limit + 1) * (limit + 1), kExact) << k;
    }
  }
  EXPECT_EQ(integer_limit(1), 15);
  EXPECT_EQ(integer_limit(65536), 15);
  EXPECT_EQ(integer_limit(74565), 15);  // 74565·225 = 2²⁴ - 91
  EXPECT_EQ(integer_limit(74566), 14);
  EXPECT_EQ(integer_limit(kExact), 1);
  EXPECT_EQ(integer_limit(std::int64_t{1} << 40), 1);
}

TEST(inputs, distributions_are_read_by_the_name_that_they_print) {
  for (const Distribution distribution : kAll)
    EXPECT_EQ(distribution_from(to_string(distribution)), distribution);
  try {
    distribution_from("gaussian");
    FAIL() << "taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown distribution 'gaussian'; allowed: uniform, normal, integer, nonnegative, lognormal, "
        "outliers, sparse, cancelling, relu, bfloat16");
  }
}

}  // namespace
}  // namespace gemmlab
