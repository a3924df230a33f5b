#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "operations/spmv/structure.h"
#include "tests/scratch.h"
#include "tests/spmv_cases.h"

namespace gemmlab::sparse {
namespace {

Instance instance_with(std::vector<std::int64_t> dims, const std::string& pattern,
                       const std::string& matrix = {}, const std::string& sha256 = {}) {
  return {&spmv(), std::move(dims), {{"pattern", pattern}, {"matrix", matrix}, {"matrix_sha256", sha256}}};
}

/// One set of operands as fill() makes them.
struct Filled {
  Filled(const Instance& instance, const InputValues& inputs, std::int64_t set)
      : values(size(instance, kValues)),
        columns(size(instance, kColumns)),
        offsets(size(instance, kOffsets)),
        x(size(instance, kX)),
        y(size(instance, kY)) {
    for (std::size_t operand = 0; operand <= kY; ++operand) {
      spmv().fill(instance, operand, inputs, set, operands().out<void>(operand));
    }
  }
  static std::size_t size(const Instance& instance, std::size_t operand) {
    return static_cast<std::size_t>(spmv().count(instance, operand));
  }
  Operands operands() {
    return Operands({values.data(), columns.data(), offsets.data(), x.data(), y.data()});
  }
  /// y = A·x in float, from what was filled in.
  void multiply() {
    for (std::size_t row = 0; row < y.size(); ++row) {
      y[row] = 0;
      for (auto i = static_cast<std::size_t>(offsets[row]); i < static_cast<std::size_t>(offsets[row + 1]);
           ++i) {
        y[row] += values[i] * x[static_cast<std::size_t>(columns[i])];
      }
    }
  }

  std::vector<float> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int32_t> offsets;
  std::vector<float> x;
  std::vector<float> y;
};

InputValues inputs_of(Distribution distribution) {
  return {distribution, 3};
}

TEST(SpmvOperation, one_reference_serves_every_set_of_every_pattern) {
  for (const std::string& pattern : pattern_names()) {
    for (const auto& dims : spmv().odd_dimensions()) {
      const Instance instance = instance_with(dims, pattern);
      ASSERT_EQ(spmv().why_not(instance), "") << pattern;
      for (const Distribution distribution : {Distribution::kInteger, Distribution::kUniform}) {
        const InputValues inputs = inputs_of(distribution);
        const auto reference = spmv().reference(instance, inputs, plain_double_product);
        for (const std::int64_t set : {0, 1, 2, 1000}) {
          Filled filled(instance, inputs, set);
          filled.multiply();
          const auto checks = reference->check(filled.operands(), set);
          ASSERT_EQ(checks.size(), 1u);
          EXPECT_EQ(checks[0].verdict, Verdict::kOk) << pattern << " " << dims[0] << "×" << dims[1]
                                                     << ", set " << set << ", eta " << checks[0].eta_max;
          EXPECT_EQ(checks[0].method, distribution == Distribution::kInteger ? "exact" : "bound");
        }
      }
    }
  }
}

TEST(SpmvOperation, sets_hold_other_entries_and_give_another_y) {
  const Instance instance = instance_with({101, 77, 1500}, "powerlaw");
  const InputValues inputs = inputs_of(Distribution::kUniform);
  Filled first(instance, inputs, 0);
  Filled second(instance, inputs, 1);
  first.multiply();
  second.multiply();
  EXPECT_NE(first.values, second.values);
  EXPECT_NE(first.columns, second.columns);
  EXPECT_NE(first.offsets, second.offsets);
  EXPECT_EQ(std::vector<float>(first.y.begin() + 1, first.y.end()),
            std::vector<float>(second.y.begin(), second.y.end() - 1));
  const auto reference = spmv().reference(instance, inputs, plain_double_product);
  EXPECT_EQ(reference->check(first.operands(), 1)[0].verdict, Verdict::kIncorrect);
}

TEST(SpmvOperation, planted_faults_are_found_in_their_row) {
  const Instance instance = instance_with({211, 64, 3000}, "blocks");
  for (const Distribution distribution : {Distribution::kInteger, Distribution::kUniform}) {
    const InputValues inputs = inputs_of(distribution);
    const auto reference = spmv().reference(instance, inputs, plain_double_product);
    const auto check_with = [&](std::size_t row, auto&& fault) {
      Filled filled(instance, inputs, 5);
      filled.multiply();
      fault(filled.y[row]);
      return reference->check(filled.operands(), 5)[0];
    };
    for (const std::size_t row : {0, 100, 210}) {
      for (const Check& check :
           {check_with(row, [](float& y) { y = std::numeric_limits<float>::quiet_NaN(); }),
            check_with(row, [](float& y) { y += 1; }),
            check_with(row, [](float& y) { y = std::numeric_limits<float>::infinity(); })}) {
        EXPECT_EQ(check.verdict, Verdict::kIncorrect);
        EXPECT_EQ(check.worst_row, static_cast<std::int64_t>(row));
      }
    }
  }
}

TEST(SpmvOperation, rounding_of_the_inputs_to_ten_bits_is_reduced_precision) {
  const Instance instance = instance_with({300, 300, 300 * 40}, "uniform");
  const InputValues inputs = inputs_of(Distribution::kUniform);
  Filled filled(instance, inputs, 0);
  for (float& value : filled.values) value = std::round(value * 1024) / 1024;
  filled.multiply();
  const auto reference = spmv().reference(instance, inputs, plain_double_product);
  EXPECT_EQ(reference->check(filled.operands(), 0)[0].verdict, Verdict::kReducedPrecision);
}

TEST(SpmvOperation, the_bound_is_of_each_row_not_of_the_largest) {
  const Instance instance = instance_with({1000, 400, 16000}, "powerlaw");
  const InputValues inputs = inputs_of(Distribution::kUniform);
  Filled filled(instance, inputs, 0);
  filled.multiply();
  std::size_t shortest = 0;
  for (std::size_t row = 0; row + 1 < filled.offsets.size(); ++row) {
    const auto length = [&](std::size_t r) { return filled.offsets[r + 1] - filled.offsets[r]; };
    if (length(row) < length(shortest)) shortest = row;
  }
  filled.y[shortest] += 100 * static_cast<float>(kUnitRoundoff) * 16;
  const auto reference = spmv().reference(instance, inputs, plain_double_product);
  const Check check = reference->check(filled.operands(), 0)[0];
  EXPECT_NE(check.verdict, Verdict::kOk);
  EXPECT_EQ(check.worst_row, static_cast<std::int64_t>(shortest));
}

TEST(SpmvOperation, size_is_a_square_with_sixteen_entries_per_row) {
  EXPECT_EQ(spmv().dims_of_size(1000), (std::vector<std::int64_t>{1000, 1000, 16000}));
  EXPECT_EQ(spmv().dims_of_size(3), (std::vector<std::int64_t>{3, 3, 9}));
}

TEST(SpmvOperation, bytes_and_rates_count_each_array_once) {
  const Instance instance = instance_with({10, 1000, 50}, "uniform");
  EXPECT_EQ(spmv().least_bytes(instance), 4 * (50 + 50 + 11 + 50 + 10));  // of x 50 elements at most
  EXPECT_EQ(spmv().operation_count(instance), 100);
  EXPECT_EQ(spmv().rates(instance)[0].name, "gflop_per_s");
  EXPECT_EQ(spmv().rates(instance)[1].amount, spmv().least_bytes(instance) * 1e-9);
}

TEST(SpmvOperation, more_entries_than_there_is_room_for_are_refused) {
  EXPECT_EQ(spmv().why_not(instance_with({3, 4, 12}, "uniform")), "");
  EXPECT_EQ(spmv().why_not(instance_with({3, 4, 13}, "uniform")), "13 entries do not fit 3 rows of 4");
}

class SpmvOfFile : public test::ScratchFolder {
 protected:
  std::string file() const {
    return write("a.mtx",
                 "%%MatrixMarket matrix coordinate real general\n3 4 4\n3 1 -2.5\n1 4 10\n1 2 7\n3 3 0\n");
  }
};

TEST_F(SpmvOfFile, the_point_is_named_after_the_content) {
  const std::string sha256 = read_matrix_market(file()).sha256;
  EXPECT_EQ(spmv().why_not(instance_with({3, 4, 4}, "uniform", file(), sha256)), "");
  EXPECT_EQ(spmv().why_not(instance_with({3, 4, 4}, "uniform", file())),
            file() + " has the SHA-256 " + sha256 + "; matrix_sha256 has to say so");
  EXPECT_EQ(spmv().why_not(instance_with({3, 4, 5}, "uniform", file(), sha256)),
            file() + " has m = 3, n = 4 and nnz = 4; the definition has to say so");
  EXPECT_EQ(spmv().why_not(instance_with({3, 4, 4}, "banded", file(), sha256)),
            "pattern and matrix are both given; the matrix has its own pattern");
  EXPECT_EQ(spmv().why_not(instance_with({3, 4, 4}, "uniform", {}, sha256)),
            "matrix_sha256 is given without matrix");
}

TEST_F(SpmvOfFile, its_values_are_taken_save_where_integers_are_asked_for) {
  const Instance instance = instance_with({3, 4, 4}, "uniform", file(), read_matrix_market(file()).sha256);
  for (const Distribution distribution : {Distribution::kUniform, Distribution::kInteger}) {
    const InputValues inputs = inputs_of(distribution);
    Filled base(instance, inputs, 0);
    EXPECT_EQ(base.columns, (std::vector<std::int32_t>{1, 3, 0, 2}));
    EXPECT_EQ(base.values == (std::vector<float>{7, 10, -2.5f, 0}), distribution == Distribution::kUniform);
    const auto reference = spmv().reference(instance, inputs, plain_double_product);
    for (const std::int64_t set : {0, 1, 2}) {
      Filled filled(instance, inputs, set);
      filled.multiply();
      EXPECT_EQ(reference->check(filled.operands(), set)[0].verdict, Verdict::kOk);
      filled.y[0] += 1;
      EXPECT_EQ(reference->check(filled.operands(), set)[0].verdict, Verdict::kIncorrect);
    }
  }
}

}  // namespace
}  // namespace gemmlab::sparse
