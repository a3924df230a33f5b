// alpha, beta, transposes and leading dimensions as the operation gemm has them: options, matrices as they
// are stored, and the reference.

#include <gtest/gtest.h>

#include <cstring>

#include "operations/gemm/implementation.h"
#include "operations/gemm/reference.h"
#include "operations/gemm/stored_matrix.h"
#include "tests/gemm_forms.h"

namespace gemmlab {
namespace {

Instance with(const Shape& shape, const Options& options) {
  return instance_of(gemm(), {shape.m, shape.n, shape.k}, options);
}

OptionValue word(const char* text) {
  return std::string(text);
}

/// Every kind of form that the harness meets.
std::vector<Options> some_options() {
  return {{},
          {{"transpose_a", word("yes")}},
          {{"transpose_b", word("yes")}, {"ldb_extra", std::int64_t{3}}},
          {{"transpose_a", word("yes")}, {"transpose_b", word("yes")}, {"alpha", 0.7}, {"beta", 1.3}},
          {{"alpha", 2.0}, {"beta", -1.0}, {"ldc_extra", std::int64_t{5}}},
          {{"beta", 1.0},
           {"lda_extra", std::int64_t{1}},
           {"ldb_extra", std::int64_t{2}},
           {"ldc_extra", std::int64_t{4}}}};
}

/// The operands of a set as the harness fills them, and after the plain loops of BLAS.
struct Filled {
  Filled(const Instance& instance, const InputValues& values, std::int64_t set) {
    for (std::size_t operand = 0; operand < 3; ++operand) {
      matrices.emplace_back(static_cast<std::size_t>(gemm().count(instance, operand)));
      if (instance.operands()[operand].direction == Direction::kOut) {
        std::memset(matrices[operand].data(), 0xff, matrices[operand].size() * sizeof(float));
      } else {
        gemm().fill(instance, operand, values, set, matrices[operand].data());
      }
    }
  }

  void multiply(const Shape& shape, const GemmForm& form) {
    const auto& [a, b, c] = std::tie(matrices[0], matrices[1], matrices[2]);
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t col = 0; col < shape.n; ++col) {
        double sum = 0;
        for (std::int64_t p = 0; p < shape.k; ++p) {
          sum += double{a[form.transpose_a ? p * form.lda + row : row * form.lda + p]} *
                 b[form.transpose_b ? col * form.ldb + p : p * form.ldb + col];
        }
        float& to = matrices[2][row * form.ldc + col];
        to = static_cast<float>(form.alpha * sum + (form.beta == 0 ? 0 : double{form.beta} * to));
      }
    }
  }

  Operands operands() { return gemm_operands(matrices[0].data(), matrices[1].data(), matrices[2].data()); }
  Operands outputs() { return gemm_operands(nullptr, nullptr, matrices[2].data()); }
  std::vector<std::vector<float>> matrices;
};

TEST(GemmForm, of_an_instance_is_plain_unless_options_say_otherwise) {
  const Shape shape{2, 3, 4};
  EXPECT_TRUE(is_plain(shape, form_of(gemm_at(shape))));
  EXPECT_TRUE(gemm_at(shape).given_options().empty());
  const GemmForm form = form_of(with(shape, some_options()[3]));
  EXPECT_EQ(describe(shape, form), "A transposed, B transposed, alpha = 0.7, beta = 1.3");
  EXPECT_EQ(form.lda, 2);
  EXPECT_EQ(form.ldb, 4);
  EXPECT_EQ(form.ldc, 3);
}

TEST(GemmForm, refuses_what_is_no_matrix_and_options_that_are_none) {
  const Shape shape{2, 3, 4};
  GemmForm form = form_of(shape);
  form.ldb = 2;
  EXPECT_EQ(wrong_form(shape, form), "ldb is 2, less than the 3 columns of B as it is stored");
  EXPECT_NE(wrong_form({-1, 3, 4}, form_of(shape)), "");
  EXPECT_THROW(with(shape, {{"lda_extra", std::int64_t{-1}}}), std::invalid_argument);
  EXPECT_THROW(with(shape, {{"transpose_a", word("perhaps")}}), std::invalid_argument);
  EXPECT_THROW(with(shape, {{"alpha", 1e300}}), std::invalid_argument);
}

TEST(GemmForm, leaves_nothing_but_beta_where_alpha_or_a_dimension_is_0) {
  GemmForm form = form_of(Shape{2, 3, 4});
  EXPECT_FALSE(scales_only({2, 3, 4}, form));
  EXPECT_TRUE(scales_only({2, 3, 0}, form));
  form.alpha = 0;
  EXPECT_TRUE(scales_only({2, 3, 4}, form));
}

TEST(GemmForm, reads_c_for_a_beta_alone) {
  const Shape shape{5, 6, 7};
  EXPECT_EQ(gemm_at(shape).operands()[2].direction, Direction::kOut);
  EXPECT_EQ(with(shape, {{"beta", 1.0}}).operands()[2].direction, Direction::kInOut);
  EXPECT_EQ(gemm().count(with(shape, {{"transpose_a", word("yes")}, {"lda_extra", std::int64_t{2}}}), 0),
            6 * 7 + 5);
  EXPECT_GT(gemm().least_bytes(with(shape, {{"beta", 1.0}})), gemm().least_bytes(gemm_at(shape)));
}

TEST(GemmForm, stores_the_same_elements_whether_transposed_or_not) {
  const Shape shape{37, 5, 300};
  const MatrixValues values{Distribution::kUniform, 3, Operand::kA, 0, 11};
  std::vector<float> plain(static_cast<std::size_t>(shape.a_count()));
  fill(plain.data(), shape.m, shape.k, values.distribution, values.seed, values.operand, values.rotate, 0);
  for (const bool transposed : {false, true}) {
    for (const std::int64_t extra : {0, 3}) {
      const StoredMatrix stored = stored_a(shape, form_of(shape, transposed, false, extra));
      std::vector<float> filled(static_cast<std::size_t>(span(stored)));
      fill_stored(filled.data(), stored, transposed, values);
      for (std::int64_t row = 0; row < shape.m; ++row) {
        for (std::int64_t col = 0; col < shape.k; ++col) {
          const std::int64_t at = transposed ? col * stored.stride + row : row * stored.stride + col;
          ASSERT_EQ(filled[at], plain[row * shape.k + col])
              << transposed << " " << extra << " " << row << " " << col;
        }
      }
      EXPECT_EQ(first_written_between_rows(filled.data(), stored, sizeof(float)), -1);
      if (extra == 0) continue;
      filled[2 * stored.stride - 1] = 0;
      EXPECT_EQ(first_written_between_rows(filled.data(), stored, sizeof(float)), 2 * stored.stride - 1);
    }
  }
}

TEST(GemmFormReference, passes_the_plain_loops_for_every_set_and_distribution) {
  const Shape shape{19, 23, 70};
  for (const Options& options : some_options()) {
    const Instance instance = with(shape, options);
    for (const Distribution distribution : {Distribution::kUniform, Distribution::kInteger}) {
      const InputValues values{distribution, 5};
      const auto reference = gemm().reference(instance, values, plain_double_product);
      for (const std::int64_t set : {0, 1, 40}) {
        Filled filled(instance, values, set);
        filled.multiply(shape, form_of(instance));
        EXPECT_EQ(overall(reference->check(filled.outputs(), set)), Verdict::kOk) << to_string(instance);
        EXPECT_EQ(gemm().unchanged(instance, filled.operands(), values, set).verdict, Verdict::kOk);
      }
    }
  }
}

TEST(GemmFormReference, finds_a_factor_a_transpose_an_element_and_padding_that_are_wrong) {
  const Shape shape{33, 33, 33};
  const Instance instance = with(
      shape, {{"transpose_a", word("yes")}, {"alpha", 0.7}, {"beta", 1.3}, {"ldc_extra", std::int64_t{2}}});
  const GemmForm asked = form_of(instance);
  const InputValues values{Distribution::kUniform, 5};
  const auto reference = gemm().reference(instance, values, plain_double_product);
  const auto verdict = [&](const GemmForm& done, std::int64_t spoilt) {
    Filled filled(instance, values, 1);
    filled.multiply(shape, done);
    if (spoilt >= 0) filled.matrices[2][spoilt] = 0;
    return overall(reference->check(filled.outputs(), 1));
  };
  EXPECT_EQ(verdict(asked, -1), Verdict::kOk);
  for (int fault = 0; fault < 3; ++fault) {
    GemmForm done = asked;
    if (fault == 0) done.alpha = 0.71F;
    if (fault == 1) done.beta = 1.31F;
    if (fault == 2) done.transpose_a = false;
    EXPECT_EQ(verdict(done, -1), Verdict::kIncorrect) << "fault " << fault;
  }
  EXPECT_EQ(verdict(asked, 32 * asked.ldc + 32), Verdict::kIncorrect) << "the last element";
  EXPECT_EQ(verdict(asked, 33), Verdict::kIncorrect) << "behind the first row";
}

TEST(GemmFormReference, knows_beta_and_strides_in_projections_too) {
  const Shape shape{140, 150, 90};
  for (const Options& options : some_options()) {
    const Instance instance = with(shape, options);
    const GemmForm form = form_of(instance);
    for (const Distribution distribution : {Distribution::kUniform, Distribution::kInteger}) {
      const Reference reference(shape, form, distribution, 5, plain_double_product, true);
      Filled filled(instance, {distribution, 5}, 3);
      filled.multiply(shape, form);
      EXPECT_EQ(overall(reference.check(filled.matrices[2].data(), 3)), Verdict::kOk) << to_string(instance);
      filled.matrices[2][77 * form.ldc + 78] += 1;
      EXPECT_EQ(overall(reference.check(filled.matrices[2].data(), 3)), Verdict::kIncorrect)
          << to_string(instance);
    }
  }
}

}  // namespace
}  // namespace gemmlab
