// cpu.matrix on an emulation of the matrix unit: its own sources, compiled with emulated_tiles.h.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/inputs/inputs.h"
#include "core/rounding.h"
#include "cpu/gemm/matrix/session.h"
#include "cpu/gemm/matrix/unit.h"
#include "cpu/table.h"
#include "tests/cpu/fenced_floats.h"

namespace gemmlab::cpu {

namespace emulated_tiles {
extern const MatrixUnit matrix_unit;
}

namespace {

/// Stands in for cpu.packed, and remembers whether it was asked.
class PlainLoop : public GemmSession {
 public:
  PlainLoop(const Shape& shape, int* calls) : shape_(shape), calls_(calls) {}
  void multiply(const float* a, const float* b, float* c) override {
    ++*calls_;
    for (std::int64_t row = 0; row < shape_.m; ++row) {
      for (std::int64_t col = 0; col < shape_.n; ++col) {
        float sum = 0;
        for (std::int64_t k = 0; k < shape_.k; ++k) sum += a[row * shape_.k + k] * b[k * shape_.n + col];
        c[row * shape_.n + col] = sum;
      }
    }
  }
  int threads_actual() const override { return 1; }

 private:
  Shape shape_;
  int* calls_;
};

struct Emulated {
  Emulated(const Shape& shape, int threads, const MatrixBlocks& blocks, const MatrixBlocks& digits = {})
      : session(emulated_tiles::matrix_unit, shape, threads, blocks, digits,
                std::make_unique<PlainLoop>(shape, &plain_calls)) {}
  Emulated(const Shape& shape, int threads)
      : Emulated(shape, threads, matrix_blocks(shape, threads), digit_blocks(shape, threads)) {}
  int plain_calls = 0;
  MatrixSession session;
};

using Values = std::vector<float>;

Values filled(Distribution distribution, Operand operand, std::int64_t rows, std::int64_t cols) {
  Values values(static_cast<std::size_t>(rows * cols));
  fill(values.data(), rows, cols, distribution, 7, operand, 0, integer_limit(cols));
  return values;
}

/// Root of the mean square of |C - R| / (u·(|A||B|)); infinite where an element is not a number.
double mean_eta(const Shape& s, const Values& a, const Values& b, const Values& c) {
  double squares = 0;
  for (std::int64_t row = 0; row < s.m; ++row) {
    for (std::int64_t col = 0; col < s.n; ++col) {
      double exact = 0, size = 0;
      for (std::int64_t k = 0; k < s.k; ++k) {
        const double term = static_cast<double>(a[row * s.k + k]) * b[k * s.n + col];
        exact += term;
        size += std::fabs(term);
      }
      const double error = std::fabs(c[row * s.n + col] - exact);
      if (!(error <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
      if (error > 0) squares += std::pow(error / (size * 0x1p-24), 2);
    }
  }
  return std::sqrt(squares / static_cast<double>(s.c_count()));
}

std::string arithmetic(const MatrixSession& session) {
  return std::get<std::string>(session.chosen().at("arithmetic"));
}

struct Between {
  std::mt19937 random;
  std::int64_t operator()(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  }
};

/// Products of small integers, in fenced memory at its start or end: twice, as nothing of A or B may be kept.
void expect_exact(Emulated* emulated, const Shape& shape, bool at_end, const std::string& by) {
  FencedFloats a_room(shape.a_count()), b_room(shape.b_count()), c_room(shape.c_count());
  float* a = a_room.place(shape.a_count(), at_end);
  float* b = b_room.place(shape.b_count(), at_end);
  float* c = c_room.place(shape.c_count(), at_end);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    fill(a, shape.m, shape.k, Distribution::kInteger, seed, Operand::kA, 0, 15);
    fill(b, shape.k, shape.n, Distribution::kInteger, seed, Operand::kB, 0, 15);
    std::fill(c, c + shape.c_count(), std::nanf(""));
    emulated->session.multiply(a, b, c);
    EXPECT_THAT(arithmetic(emulated->session), testing::EndsWith(by));
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t col = 0; col < shape.n; ++col) {
        float sum = 0;
        for (std::int64_t k = 0; k < shape.k; ++k) sum += a[row * shape.k + k] * b[k * shape.n + col];
        ASSERT_EQ(c[row * shape.n + col], sum)
            << shape.m << " " << shape.n << " " << shape.k << " at " << row << ", " << col;
      }
    }
  }
}

TEST(Matrix, is_exact_on_integers_at_odd_shapes_and_touches_nothing_beyond) {
  Between between{std::mt19937(1)};
  for (int round = 0; round < 40; ++round) {
    const auto side = [&] { return round % 3 == 0 ? between(1, 80) : between(15, 17) * between(1, 4); };
    const Shape shape = {side(), side(), side()};
    const std::int64_t terms = 32 * between(1, 2);
    const MatrixBlocks blocks = {32 * between(1, 3), 32 * between(1, 3), terms, terms * between(1, 2)};
    Emulated emulated(shape, static_cast<int>(between(1, 3)), blocks);
    expect_exact(&emulated, shape, round % 2 == 0, "products of BF16 triples");
    EXPECT_EQ(emulated.plain_calls, 0);
  }
}

TEST(MatrixDigits, are_exact_on_integers_at_odd_shapes_and_touch_nothing_beyond) {
  Between between{std::mt19937(2)};
  for (int round = 0; round < 40; ++round) {
    const auto side = [&] { return round % 3 == 0 ? between(1, 120) : between(15, 17) * between(1, 6); };
    const std::int64_t k = round % 4 == 0 ? 64 * between(2, 4) + between(-1, 1) : between(140, 300);
    const Shape shape = {side(), side(), k};
    const MatrixBlocks blocks = {32 * between(1, 3), 32 * between(1, 3), 64 * between(1, 3),
                                 rounded_up(k, 64)};
    Emulated emulated(shape, static_cast<int>(between(1, 3)), matrix_blocks(shape, 2), blocks);
    expect_exact(&emulated, shape, round % 2 == 0, "6 products of INT8 digits");
  }
}

/// What blocked products in strict FP32 come to: a sum of its own every 384 terms, as OpenBLAS and MKL have.
Values strict(const Shape& s, const Values& a, const Values& b) {
  constexpr std::int64_t kBlock = 384;
  Values c(static_cast<std::size_t>(s.c_count()));
  for (std::int64_t row = 0; row < s.m; ++row) {
    for (std::int64_t col = 0; col < s.n; ++col) {
      float all = 0;
      for (std::int64_t k0 = 0; k0 < s.k; k0 += kBlock) {
        float sum = 0;
        for (std::int64_t k = k0; k < std::min(s.k, k0 + kBlock); ++k)
          sum = std::fma(a[row * s.k + k], b[k * s.n + col], sum);
        all += sum;
      }
      c[row * s.n + col] = all;
    }
  }
  return c;
}

class MatrixAccuracy : public testing::TestWithParam<std::string> {};

/// By the mean, as the largest of some thousand errors is a matter of luck; measured: 0.3 to 0.9 of it, and as
/// much where sums have one or two terms.
TEST_P(MatrixAccuracy, is_no_worse_than_strict_fp32) {
  for (const Shape& shape :
       {Shape{48, 33, 20}, Shape{48, 33, 500}, Shape{40, 33, 704}, Shape{33, 32, 6000}}) {
    const Values a = filled(distribution_from(GetParam()), Operand::kA, shape.m, shape.k);
    const Values b = filled(distribution_from(GetParam()), Operand::kB, shape.k, shape.n);
    Values c(static_cast<std::size_t>(shape.c_count()), std::nanf(""));
    Emulated emulated(shape, 2);
    emulated.session.multiply(a.data(), b.data(), c.data());
    EXPECT_EQ(emulated.plain_calls, 0);
    EXPECT_LE(mean_eta(shape, a, b, c), 1.01 * mean_eta(shape, a, b, strict(shape, a, b))) << shape.k;
  }
}
INSTANTIATE_TEST_SUITE_P(Distributions, MatrixAccuracy, testing::ValuesIn(distribution_names()),
                         [](const auto& each) { return each.param; });

TEST(MatrixDigits, are_taken_where_the_data_allow_it_in_each_call_anew) {
  const Shape shape = {70, 65, 300};
  Emulated emulated(shape, 2);
  Values c(static_cast<std::size_t>(shape.c_count()));
  const auto taken = [&](const Values& a, const Values& b) {
    emulated.session.multiply(a.data(), b.data(), c.data());
    return arithmetic(emulated.session);
  };
  const Values a = filled(Distribution::kUniform, Operand::kA, shape.m, shape.k);
  const Values b = filled(Distribution::kUniform, Operand::kB, shape.k, shape.n);
  EXPECT_EQ(taken(a, b), "6 products of INT8 digits");
  Values odd = b;
  odd.back() = 100;  // the last column's largest: all else in it is small
  EXPECT_EQ(taken(a, odd), "6 products of BF16 triples");
  EXPECT_LE(mean_eta(shape, a, odd, c), 1.01 * mean_eta(shape, a, odd, strict(shape, a, odd)));
  odd.back() = std::numeric_limits<float>::infinity();
  EXPECT_EQ(taken(a, odd), "plain FP32");
  EXPECT_EQ(taken(a, b), "6 products of INT8 digits");
  odd = a;
  for (std::size_t i = 0; i < 100; ++i) odd[i] *= 0x1p-9F;  // most of a segment of one row
  EXPECT_EQ(taken(odd, b), "6 products of BF16 triples") << "whatever the row's mean";
  odd = a;
  std::fill_n(odd.begin(), shape.k, 0.0F);
  EXPECT_EQ(taken(odd, b), "6 products of INT8 digits") << "a row of zeros loses nothing";
  EXPECT_TRUE(std::all_of(c.begin(), c.begin() + shape.n, [](float value) { return value == 0; }));
}

TEST(MatrixDigits, lose_nothing_to_the_size_of_rows_and_columns) {
  const Shape shape = {35, 33, 260};
  Values a = filled(Distribution::kUniform, Operand::kA, shape.m, shape.k);
  const Values b = filled(Distribution::kUniform, Operand::kB, shape.k, shape.n);
  Emulated emulated(shape, 2);
  const auto product = [&] {
    Values c(static_cast<std::size_t>(shape.c_count()), std::nanf(""));
    emulated.session.multiply(a.data(), b.data(), c.data());
    EXPECT_EQ(arithmetic(emulated.session), "6 products of INT8 digits");
    return c;
  };
  const Values ordinary = product();
  const auto factor = [](std::int64_t row) { return std::ldexp(1.0F, static_cast<int>(row * 5 - 85)); };
  for (std::int64_t i = 0; i < shape.a_count(); ++i) a[i] *= factor(i / shape.k);
  const Values scaled = product();
  for (std::int64_t i = 0; i < shape.c_count(); ++i)
    ASSERT_EQ(scaled[i], ordinary[i] * factor(i / shape.n)) << i / shape.n;
}

/// Signed, as a share of what FP32 rounds: errors of one sign do not average away over the terms, and where all terms are of one
/// sign they add up to the same share of any sum.
TEST(MatrixDigits, are_as_often_too_large_as_too_small) {
  const Shape shape = {48, 40, 4096};
  const Values a = filled(Distribution::kNonnegative, Operand::kA, shape.m, shape.k);
  const Values b = filled(Distribution::kNonnegative, Operand::kB, shape.k, shape.n);
  Values c(static_cast<std::size_t>(shape.c_count()), std::nanf(""));
  Emulated emulated(shape, 2);
  emulated.session.multiply(a.data(), b.data(), c.data());
  ASSERT_EQ(arithmetic(emulated.session), "6 products of INT8 digits");
  double shares = 0;
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t col = 0; col < shape.n; ++col) {
      double exact = 0;
      for (std::int64_t k = 0; k < shape.k; ++k)
        exact += static_cast<double>(a[row * shape.k + k]) * b[k * shape.n + col];
      shares += (c[row * shape.n + col] - exact) / (exact * 0x1p-24);
    }
  }
  EXPECT_LT(std::fabs(shares / static_cast<double>(shape.c_count())),
            0.1);                          // 1.4 where a half is added and the rest cut off
  EXPECT_LT(mean_eta(shape, a, b, c), 1);  // that bias alone: 1.5
}

/// 1,024 products of the largest digits, of each sign: the sums of three weights fit 32 bits.
TEST(MatrixDigits, have_room_for_the_largest_sums) {
  const Shape shape = {33, 40, 4096};
  for (const float sign : {1.0F, -1.0F}) {
    const Values a(static_cast<std::size_t>(shape.a_count()), kLargestOfDigits);
    const Values b(static_cast<std::size_t>(shape.b_count()), sign * kLargestOfDigits);
    Values c(static_cast<std::size_t>(shape.c_count()), std::nanf(""));
    Emulated emulated(shape, 2);
    emulated.session.multiply(a.data(), b.data(), c.data());
    ASSERT_EQ(arithmetic(emulated.session), "6 products of INT8 digits");
    const double exact = sign * double{kLargestOfDigits} * kLargestOfDigits * static_cast<double>(shape.k);
    for (const float each : c) ASSERT_NEAR(each / exact, 1, 0x1p-22);
  }
}

TEST(MatrixDigits, have_scales_that_leave_the_largest_just_inside) {
  const auto bits = [](float value) {
    std::uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    return word;
  };
  for (const float largest : {1.0F, 1.5F, 15.0F, 0.9999F, 1.9921F, 1.9922F, 1.9923F, 0x1.fffffep0F, 3e-20F}) {
    const double whole = double{largest} * scale_of_digits(bits(largest));
    EXPECT_LE(whole, kLargestOfDigits) << largest;
    EXPECT_GE(whole, kLargestOfDigits * 15 / 16) << largest;
  }
  EXPECT_EQ(scale_of_digits(0), 1);
  for (const float beyond :
       {0x1p+100F, 0x1p-100F, 0x1p-149F, std::numeric_limits<float>::infinity(), std::nanf("")})
    EXPECT_EQ(scale_of_digits(bits(beyond)), 0) << beyond;
}

/// Rows beyond two of the largest blocks: bands of three sizes.
TEST(Matrix, makes_every_element_once_where_blocks_get_smaller) {
  const Shape shape = {1030, 70, 33};
  const Values a = filled(Distribution::kInteger, Operand::kA, shape.m, shape.k);
  const Values b = filled(Distribution::kInteger, Operand::kB, shape.k, shape.n);
  Values c(static_cast<std::size_t>(shape.c_count()), std::nanf(""));
  Emulated emulated(shape, 3, {256, 64, 32, 32});
  emulated.session.multiply(a.data(), b.data(), c.data());
  EXPECT_EQ(emulated.plain_calls, 0);
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t col = 0; col < shape.n; ++col) {
      float sum = 0;
      for (std::int64_t k = 0; k < shape.k; ++k) sum += a[row * shape.k + k] * b[k * shape.n + col];
      ASSERT_EQ(c[row * shape.n + col], sum) << row << ", " << col;
    }
  }
}

TEST(Matrix, takes_eight_products_where_sums_have_few_terms) {
  const Shape shape = {40, 40, 200};
  Values a = filled(Distribution::kUniform, Operand::kA, shape.m, shape.k);
  const Values b = filled(Distribution::kUniform, Operand::kB, shape.k, shape.n);
  Values c(static_cast<std::size_t>(shape.c_count()));
  Emulated emulated(shape, 2);
  emulated.session.multiply(a.data(), b.data(), c.data());
  EXPECT_EQ(arithmetic(emulated.session), "6 products of BF16 triples");
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i % 10 == 0 ? a[i] : 0;
  emulated.session.multiply(a.data(), b.data(), c.data());
  EXPECT_EQ(arithmetic(emulated.session), "8 products of BF16 triples");
}

/// A and B times powers of two give the same product times both, to the bit, unless it leaves the normal range.
TEST(Matrix, holds_magnitudes_that_the_unit_would_take_for_zero) {
  const Shape shape = {35, 33, 130};
  const Values a = filled(Distribution::kUniform, Operand::kA, shape.m, shape.k);
  const Values b = filled(Distribution::kUniform, Operand::kB, shape.k, shape.n);
  Emulated emulated(shape, 2);
  const auto product = [&](float of_a, float of_b) {
    Values scaled_a = a, scaled_b = b, c(static_cast<std::size_t>(shape.c_count()), std::nanf(""));
    for (float& value : scaled_a) value *= of_a;
    for (float& value : scaled_b) value *= of_b;
    emulated.session.multiply(scaled_a.data(), scaled_b.data(), c.data());
    return c;
  };
  const Values ordinary = product(1, 1);
  const struct {
    float of_a, of_b;
  } cases[] = {{0x1p-100F, 1},
               {0x1p-100F, 0x1p+100F},
               {0x1p-60F, 0x1p-40F},
               {0x1p+100F, 0x1p-90F},
               {0x1p+60F, 0x1p+40F}};
  for (const auto& each : cases) {
    const Values scaled = product(each.of_a, each.of_b);
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      ASSERT_EQ(scaled[i], ordinary[i] * each.of_a * each.of_b) << each.of_a << " " << each.of_b << " " << i;
    }
  }
  EXPECT_EQ(emulated.plain_calls, 0);
}

TEST(Matrix, scales_subnormal_elements) {
  const Shape shape = {3, 2, 70};
  const Values a(static_cast<std::size_t>(shape.a_count()), 0x1p-149F);
  const Values b(static_cast<std::size_t>(shape.b_count()), 0x1p+100F);
  Values c(static_cast<std::size_t>(shape.c_count()));
  Emulated emulated(shape, 1);
  emulated.session.multiply(a.data(), b.data(), c.data());
  for (const float value : c) EXPECT_EQ(value, 70 * 0x1p-49F);
  EXPECT_EQ(emulated.plain_calls, 0);
}

TEST(Matrix, leaves_what_the_unit_does_not_hold_to_plain_fp32) {
  const Shape shape = {34, 33, 70};
  const float infinity = std::numeric_limits<float>::infinity();
  const struct {
    float odd, other;
  } cases[] = {{infinity, 1}, {std::nanf(""), 1}, {0x1p+120F, 0x1p-120F}, {0x1p+127F, 0x1p+120F}};
  for (const auto& each : cases) {
    Values a = filled(Distribution::kUniform, Operand::kA, shape.m, shape.k);
    Values b = filled(Distribution::kUniform, Operand::kB, shape.k, shape.n);
    a.back() = b.front() = each.odd;  // in the last pass, in the first
    a.front() = each.other;
    Values c(static_cast<std::size_t>(shape.c_count()));
    Emulated emulated(shape, 2, {32, 32, 32, 32});
    emulated.session.multiply(a.data(), b.data(), c.data());
    EXPECT_EQ(emulated.plain_calls, 1) << each.odd;
    EXPECT_EQ(arithmetic(emulated.session), "plain FP32");
    const Values ordinary = filled(Distribution::kUniform, Operand::kA, shape.m, shape.k);
    emulated.session.multiply(ordinary.data(), ordinary.data(), c.data());
    EXPECT_EQ(emulated.plain_calls, 1) << "the next product is computed on the unit again";
  }
}

TEST(Matrix, is_refused_with_a_reason_where_the_unit_is_missing) {
  const auto& row = *std::find_if(implementations().begin(), implementations().end(),
                                  [](const auto* each) { return each->description().id == "cpu.matrix"; });
  EXPECT_EQ(row->unavailable(), matrix_unit_missing());
  if (matrix_unit_missing().empty()) GTEST_SKIP() << "this machine has the unit: its row runs in CpuMethod";
  EXPECT_NE(row->unavailable().find("AMX"), std::string::npos) << row->unavailable();
  EXPECT_THROW(row->prepare(gemm_at({8, 8, 8}), complete(row->description(), {})), std::runtime_error);
}

TEST(MatrixBlocks, cover_every_shape_in_whole_steps) {
  for (const std::int64_t side : {1, 31, 33, 100, 2048, 8192}) {
    for (const std::int64_t k : {1, 32, 33, 511, 513, 4096, 262144}) {
      for (const int threads : {1, 8, 16}) {
        const Shape shape = {side, side, k};
        const MatrixBlocks blocks = matrix_blocks(shape, threads);
        EXPECT_TRUE(blocks.rows % 32 == 0 && blocks.cols % 32 == 0 && blocks.terms % 32 == 0 &&
                    blocks.rows > 0);
        EXPECT_TRUE(blocks.deep > 0 && blocks.deep % blocks.terms == 0) << k << " " << blocks.deep;
        EXPECT_LE(parts_bytes(side, blocks), 300 << 20) << side << " " << k;
        EXPECT_GE(matrix_threads(shape, blocks, threads), 1);
      }
    }
  }
}

}  // namespace
}  // namespace gemmlab::cpu
