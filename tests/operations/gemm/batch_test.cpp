// Batches of products: which are fewer and larger ones, and how the operation batched_gemm checks them.

#include <gtest/gtest.h>

#include "core/operations.h"
#include "operations/batched_gemm/batched_gemm.h"
#include "tests/operations.h"

namespace gemmlab {

const Operation& batched_gemm();

namespace {

GemmBatch dense(const Shape& shape, std::int64_t count, bool transpose_a = false, bool transpose_b = false) {
  return {shape,          form_of(shape, transpose_a, transpose_b), count, shape.a_count(), shape.b_count(),
          shape.c_count()};
}

void multiply(const GemmBatch& batch, const float* a, const float* b, float* c) {
  const GemmForm& form = batch.form;
  for (std::int64_t i = 0; i < batch.count; ++i) {
    for (std::int64_t row = 0; row < batch.shape.m; ++row) {
      for (std::int64_t col = 0; col < batch.shape.n; ++col) {
        double sum = 0;
        for (std::int64_t k = 0; k < batch.shape.k; ++k) {
          const std::int64_t of_a = form.transpose_a ? k * form.lda + row : row * form.lda + k;
          const std::int64_t of_b = form.transpose_b ? col * form.ldb + k : k * form.ldb + col;
          sum += double{a[i * batch.stride_a + of_a]} * b[i * batch.stride_b + of_b];
        }
        float& to = c[i * batch.stride_c + row * form.ldc + col];
        to = static_cast<float>(form.alpha * sum + (form.beta == 0 ? 0 : double{form.beta} * to));
      }
    }
  }
}

TEST(GemmBatch, is_one_product_of_more_rows_where_b_is_shared_and_rows_run_on) {
  GemmBatch batch = dense({5, 7, 3}, 4);
  EXPECT_EQ(merged(batch).count, 4);
  batch.stride_b = 0;
  EXPECT_EQ(merged(batch).count, 1);
  EXPECT_EQ(merged(batch).shape, (Shape{20, 7, 3}));
  GemmBatch apart = batch;
  apart.stride_c += 1;
  EXPECT_EQ(merged(apart).count, 4) << "C has a gap between the products";
  GemmBatch turned = dense({5, 7, 3}, 4, true);
  turned.stride_b = 0;
  EXPECT_EQ(merged(turned).count, 4) << "stored columns of A do not run on";
  turned.form.lda = 20;
  turned.stride_a = 5;
  EXPECT_EQ(merged(turned).shape, (Shape{20, 7, 3}));
}

TEST(GemmBatch, is_one_product_of_more_columns_where_a_is_shared_and_columns_run_on) {
  GemmBatch batch = dense({5, 7, 3}, 4, false, true);
  batch.stride_a = 0;
  EXPECT_EQ(merged(batch).count, 4) << "C's columns do not run on";
  batch.form.ldc = 28;
  batch.stride_c = 7;
  EXPECT_EQ(merged(batch).shape, (Shape{5, 28, 3}));
  batch.form.ldc = 27;
  EXPECT_EQ(merged(batch).count, 4);
}

TEST(BatchedGemm, takes_right_products_and_finds_one_wrong_element_of_any_of_them) {
  for (const Options& options : test::option_choices(batched_gemm())) {
    Options given = options;
    given["alpha"] = 0.5;
    given["beta"] = -2.0;
    const Instance instance = instance_of(batched_gemm(), {3, 6, 5, 4}, given);
    const GemmBatch batch = batch_of(instance);
    const InputValues values{Distribution::kUniform, 3};
    const auto reference = batched_gemm().reference(instance, values, plain_double_product);
    test::HostOperands host(instance, 0);
    host.fill(values, 2);
    multiply(batch, host.data(0), host.data(1), host.data(2));
    EXPECT_EQ(overall(reference->check(host.operands(), 2)), Verdict::kOk) << to_string(instance);
    host.data(2)[2 * batch.stride_c + 3 * batch.form.ldc + 4] += 0.01F;
    const std::vector<Check> checks = reference->check(host.operands(), 2);
    EXPECT_EQ(overall(checks), Verdict::kIncorrect) << to_string(instance);
    EXPECT_EQ(checks.at(0).worst_row, 2 * 6 + 3) << to_string(instance);
    EXPECT_EQ(checks.at(0).worst_col, 4) << to_string(instance);
  }
}

TEST(BatchedGemm, counts_the_work_of_all_products_and_a_shared_b_once) {
  const Instance own = instance_of(batched_gemm(), {3, 6, 5, 4});
  const Instance shared = instance_of(batched_gemm(), {3, 6, 5, 4}, {{"shared_b", std::string("yes")}});
  EXPECT_EQ(batched_gemm().operation_count(own), 3 * 2 * 6 * 5 * 4);
  EXPECT_EQ(batched_gemm().operation_count(shared), 3 * 2 * 6 * 5 * 4);
  EXPECT_EQ(batched_gemm().least_bytes(own), 4 * 3 * (24 + 20 + 30));
  EXPECT_EQ(batched_gemm().least_bytes(shared), 4 * (3 * 24 + 20 + 3 * 30));
  EXPECT_THROW(instance_of(batched_gemm(), {3, 6, 5, 4}, {{"alpha", 1e300}}), std::invalid_argument);
}

}  // namespace
}  // namespace gemmlab
