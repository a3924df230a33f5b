#include "operations/spmv/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gemmlab::sparse {
namespace {

struct Dims {
  std::int64_t m;
  std::int64_t n;
  std::int64_t nnz;
};
constexpr Dims kDims[] = {{1, 1, 1},         {1, 9, 9},         {9, 1, 9},        {9, 1, 4},
                          {7, 5, 35},        {7, 5, 34},        {13, 11, 29},     {100, 37, 1001},
                          {64, 9, 64 * 9},   {1000, 3, 5},      {50, 19, 475},    {257, 100, 99},
                          {1024, 512, 9000}, {300, 300, 90000}, {3, 70000, 99999}};

std::vector<std::int32_t> columns_of(const GeneratedRows& rows, std::int64_t row) {
  const auto& offsets = rows.offsets();
  std::vector<std::int32_t> columns(static_cast<std::size_t>(offsets[row + 1] - offsets[row]));
  rows.columns(row, columns.data());
  return columns;
}

TEST(SpmvPattern, exactly_nnz_entries_rising_and_inside_the_row) {
  for (const std::string& name : pattern_names()) {
    for (const Dims& dims : kDims) {
      const GeneratedRows rows(pattern_from(name), dims.m, dims.n, dims.nnz, 1);
      ASSERT_EQ(static_cast<std::int64_t>(rows.offsets().size()), dims.m + 1);
      EXPECT_EQ(rows.offsets().front(), 0);
      EXPECT_EQ(rows.offsets().back(), dims.nnz) << name << " " << dims.m;
      for (std::int64_t row = 0; row < dims.m; ++row) {
        ASSERT_LE(rows.offsets()[row], rows.offsets()[row + 1]);
        const auto columns = columns_of(rows, row);
        if (columns.empty()) continue;
        EXPECT_GE(columns.front(), 0);
        EXPECT_LT(columns.back(), dims.n) << name << " " << dims.m << "×" << dims.n << ", row " << row;
        EXPECT_TRUE(std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) ==
                    columns.end())
            << name << " " << dims.m << "×" << dims.n << ", row " << row;
      }
    }
  }
}

TEST(SpmvPattern, these_columns_on_every_platform) {
  const auto first_columns = [](Pattern pattern) {
    return columns_of(GeneratedRows(pattern, 1000, 1000, 16000, 7), 500);
  };
  EXPECT_EQ(first_columns(Pattern::kUniform),
            (std::vector<std::int32_t>{33, 87, 158, 241, 275, 341, 433, 493, 521, 582, 688, 723, 810, 832,
                                       904, 988}));
  EXPECT_EQ(first_columns(Pattern::kBanded),
            (std::vector<std::int32_t>{492, 493, 494, 495, 496, 497, 498, 499, 500, 501, 502, 503, 504, 505,
                                       506, 507}));
  EXPECT_EQ(first_columns(Pattern::kBlocks),
            (std::vector<std::int32_t>{411, 412, 413, 414, 415, 416, 417, 418, 648, 649, 650, 651, 652, 653,
                                       654, 655}));
  EXPECT_EQ(first_columns(Pattern::kPowerlaw),
            (std::vector<std::int32_t>{55, 182, 287, 443, 616, 625, 768, 884}));
}

TEST(SpmvPattern, the_seed_decides_the_columns) {
  const GeneratedRows first(Pattern::kUniform, 100, 5000, 1600, 1);
  const GeneratedRows again(Pattern::kUniform, 100, 5000, 1600, 1);
  const GeneratedRows other(Pattern::kUniform, 100, 5000, 1600, 2);
  EXPECT_EQ(columns_of(first, 50), columns_of(again, 50));
  EXPECT_NE(columns_of(first, 50), columns_of(other, 50));
}

TEST(SpmvPattern, kept_rows_are_those_that_were_asked_for) {
  const auto first = generated_rows(Pattern::kUniform, 100, 5000, 1600, 1);
  EXPECT_EQ(generated_rows(Pattern::kUniform, 100, 5000, 1600, 1), first);
  const auto other = generated_rows(Pattern::kUniform, 100, 5000, 1600, 2);
  EXPECT_EQ(columns_of(*other, 50), columns_of(GeneratedRows(Pattern::kUniform, 100, 5000, 1600, 2), 50));
  EXPECT_NE(columns_of(*first, 50), columns_of(*other, 50));
}

TEST(SpmvPattern, eight_rows_share_their_blocks) {
  const GeneratedRows rows(Pattern::kBlocks, 64, 10000, 64 * 24, 1);
  const auto first = columns_of(rows, 8);
  EXPECT_EQ(first, columns_of(rows, 15));
  EXPECT_NE(first, columns_of(rows, 16));
  EXPECT_EQ(first[7], first[0] + 7);
  EXPECT_GT(first[8], first[7] + 1);
}

TEST(SpmvPattern, a_power_law_has_rows_far_above_the_mean_scattered_over_the_matrix) {
  const std::int64_t m = 1 << 16;
  const GeneratedRows rows(Pattern::kPowerlaw, m, m, 16 * m, 1);
  std::vector<std::pair<std::int32_t, std::int64_t>> lengths;
  for (std::int64_t row = 0; row < m; ++row)
    lengths.emplace_back(rows.offsets()[row + 1] - rows.offsets()[row], row);
  std::sort(lengths.rbegin(), lengths.rend());
  EXPECT_GT(lengths[0].first, 1000 * 16);
  EXPECT_LT(lengths[static_cast<std::size_t>(m / 2)].first, 16);
  EXPECT_NEAR(lengths[0].first / static_cast<double>(lengths[15].first), 8, 0.1);  // 16^(3/4)
  std::set<std::int64_t> eighths;
  for (int i = 0; i < 32; ++i) eighths.insert(lengths[static_cast<std::size_t>(i)].second * 8 / m);
  EXPECT_EQ(eighths.size(), 8u);
}

TEST(SpmvPattern, an_unknown_name_is_refused_with_those_that_are_allowed) {
  try {
    pattern_from("diagonal");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "unknown pattern 'diagonal'; allowed: uniform, banded, blocks, powerlaw");
  }
}

}  // namespace
}  // namespace gemmlab::sparse
