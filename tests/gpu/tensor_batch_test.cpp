// Batches by gpu.tensor's kernels: forms, strides with gaps, one operand for all, and whatever the data lead to.

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/operation.h"
#include "core/operations.h"
#include "gpu/device/device.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/tensor/session.h"
#include "gpu/table.h"
#include "operations/batched_gemm/batched_gemm.h"
#include "operations/gemm/implementation.h"
#include "operations/gemm/stored_matrix.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace gpu {
const Implementation& tensor_batched();
}

namespace {

const Implementation& row() {
  return gpu::tensor_batched();
}

/// Elements of a batch's operands; `product` and whether they are A's.
using Element = std::function<float(std::mt19937&, std::int64_t product, bool of_a)>;

float uniform(std::mt19937& random) {
  return std::uniform_real_distribution<float>(-1, 1)(random);
}

float normal(std::mt19937& random) {
  return std::normal_distribution<float>()(random);
}

struct Data {
  const char* name;
  Element element;
  const char* arithmetic;  ///< kFirst: what the first split writes
};
constexpr const char* kFirst = "first";

const std::vector<Data>& data() {
  static const std::vector<Data> all = {
      {"uniform", [](auto& random, auto, bool) { return uniform(random); }, ""},
      {"of one sign", [](auto& random, auto, bool) { return std::fabs(uniform(random)); }, kFirst},
      {"normal", [](auto& random, auto, bool) { return normal(random); }, "FP16"},
      {"scales of each product's own",
       [](auto& random, auto product, bool of_a) {
         return std::ldexp(uniform(random), static_cast<int>(of_a ? 9 * product : -7 * product));
       },
       ""},
      {"sparse", [](auto& random, auto, bool) { return random() % 20 == 0 ? normal(random) : 0.0f; }, "BF16"},
      {"of a wide span in the last product",
       [](auto& random, auto product, bool) {
         return product == 1 ? std::ldexp(uniform(random), -static_cast<int>(random() % 70))
                             : uniform(random);
       },
       "plain FP32"},
  };
  return all;
}

/// Rows 3, 5 and 1 floats longer than they need be, where `gaps`; the same between the products' matrices.
GemmBatch batch_at(const Shape& shape, std::int64_t count, bool transpose_a, bool transpose_b, bool gaps) {
  const GemmForm form =
      gaps ? form_of(shape, transpose_a, transpose_b, 3, 5, 1) : form_of(shape, transpose_a, transpose_b);
  const std::int64_t apart = gaps ? 13 : 0;
  return {shape,
          form,
          count,
          span(stored_a(shape, form)) + apart,
          span(stored_b(shape, form)) + apart,
          span(stored_c(shape, form)) + apart};
}

std::int64_t floats(const StoredMatrix& one, std::int64_t stride, std::int64_t count) {
  return (count - 1) * stride + span(one);
}

class TensorBatch : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    if (!row()
             .why_not(instance_of(*find_operation("batched_gemm"), {2, 256, 256, 256}),
                      complete(row().description(), {{"instruction", std::string("wgmma")}}))
             .empty())
      GTEST_SKIP() << "needs compute capability 9.0";
  }

  /// What holds outside the matrices must not change, and every element must hold FP32's bound.
  void expect_right(const GemmBatch& batch, const Data& data, Session& session, bool digits) {
    SCOPED_TRACE(testing::Message() << batch.count << " x " << describe(batch.shape, batch.form) << " "
                                    << batch.shape.m << "x" << batch.shape.n << "x" << batch.shape.k
                                    << " strides " << batch.stride_a << " " << batch.stride_b << " "
                                    << batch.stride_c << ", " << data.name << ", digits first " << digits);
    const GemmForm& form = batch.form;
    const StoredMatrix of_a = stored_a(batch.shape, form);
    const StoredMatrix of_b = stored_b(batch.shape, form);
    const StoredMatrix of_c = stored_c(batch.shape, form);
    std::mt19937 random(1);
    const auto filled = [&](const StoredMatrix& one, std::int64_t stride, bool a) {
      std::vector<float> values(static_cast<std::size_t>(floats(one, stride, batch.count)), NAN);
      for (std::int64_t i = 0; i < (stride == 0 ? 1 : batch.count); ++i)
        for (std::int64_t r = 0; r < one.rows; ++r)
          for (std::int64_t c = 0; c < one.cols; ++c)
            values[static_cast<std::size_t>(i * stride + r * one.stride + c)] = data.element(random, i, a);
      return values;
    };
    const std::vector<float> a = filled(of_a, batch.stride_a, true);
    const std::vector<float> b = filled(of_b, batch.stride_b, false);
    std::vector<float> before(static_cast<std::size_t>(floats(of_c, batch.stride_c, batch.count)));
    for (float& one : before) one = form.beta == 0 ? NAN : uniform(random);
    Guarded A(*backend_, static_cast<std::int64_t>(a.size()));
    Guarded B(*backend_, static_cast<std::int64_t>(b.size()));
    Guarded C(*backend_, static_cast<std::int64_t>(before.size()));
    A.write(a);
    B.write(b);
    C.write(before);
    multiply(session, A.data(), B.data(), C.data());
    backend_->synchronize();
    const std::vector<float> after = C.read();
    EXPECT_EQ(A.changed_outside() + B.changed_outside() + C.changed_outside(), 0);
    const std::string arithmetic = std::get<std::string>(session.chosen().at("arithmetic"));
    const char* const expected = data.arithmetic != kFirst ? data.arithmetic : digits ? "INT8" : "FP16";
    EXPECT_NE(arithmetic.find(expected), std::string::npos) << arithmetic;

    const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
    std::vector<bool> inside(after.size(), false);
    std::int64_t wrong = 0;
    double worst = 0;
    std::vector<double> sums(at(batch.shape.n));
    std::vector<double> sizes(at(batch.shape.n));
    std::vector<float> right(at(batch.shape.b_count()));  // op(B), row by row
    for (std::int64_t i = 0; i < batch.count; ++i) {
      for (std::int64_t k = 0; k < batch.shape.k; ++k)
        for (std::int64_t c = 0; c < batch.shape.n; ++c)
          right[at(k * batch.shape.n + c)] =
              b[at(i * batch.stride_b + (form.transpose_b ? c * form.ldb + k : k * form.ldb + c))];
      for (std::int64_t r = 0; r < batch.shape.m; ++r) {
        std::fill(sums.begin(), sums.end(), 0);
        std::fill(sizes.begin(), sizes.end(), 0);
        for (std::int64_t k = 0; k < batch.shape.k; ++k) {
          const double left =
              a[at(i * batch.stride_a + (form.transpose_a ? k * form.lda + r : r * form.lda + k))];
          const float* const from = &right[at(k * batch.shape.n)];
          for (std::int64_t c = 0; c < batch.shape.n; ++c) {
            const double product = left * from[c];
            sums[at(c)] += product;
            sizes[at(c)] += std::fabs(product);
          }
        }
        for (std::int64_t c = 0; c < batch.shape.n; ++c) {
          const std::size_t place = at(i * batch.stride_c + r * form.ldc + c);
          inside[place] = true;
          const double old = form.beta == 0 ? 0 : double{form.beta} * before[place];
          const double off = std::fabs(after[place] - (form.alpha * sums[at(c)] + old));
          const double size = std::fabs(form.alpha) * sizes[at(c)] + std::fabs(old);
          if (!(off <= 16 * 0x1p-24 * size)) ++wrong;
          if (size > 0) worst = std::max(worst, off / size / 0x1p-24);
        }
      }
    }
    EXPECT_EQ(wrong, 0) << "worst " << worst << " units of 2^-24";
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (inside[i]) continue;
      if (after[i] != before[i] && !(std::isnan(after[i]) && std::isnan(before[i]))) ++wrong;
    }
    EXPECT_EQ(wrong, 0) << "something was written between the rows of C";
  }

  static std::unique_ptr<Session> session_of(const GemmBatch& batch, bool digits) {
    gpu::parts::WgmmaChoice choice = gpu::parts::choose_wgmma(batch.shape, gpu::this_card().sms, batch.count);
    choice.digits = digits;
    return gpu::parts::make_tensor_session(batch, true, true, {}, choice);
  }

  void expect_right(const GemmBatch& batch, const Data& data) {
    for (const bool digits : {false, true}) expect_right(batch, data, *session_of(batch, digits), digits);
  }
};

TEST_F(TensorBatch, is_right_in_every_form_with_gaps_and_without) {
  for (const bool gaps : {false, true}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        for (const Shape& shape : {Shape{1, 1, 128}, Shape{65, 67, 129}, Shape{128, 128, 256},
                                   Shape{257, 130, 200}, Shape{100, 196, 1030}}) {
          GemmBatch batch = batch_at(shape, 3, transpose_a, transpose_b, gaps);
          expect_right(batch, data()[0]);
          batch.form.alpha = 0.5f;
          batch.form.beta = -1.5f;
          batch.count = 2;
          expect_right(batch, data()[2]);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(TensorBatch, decides_by_the_data_of_all_products_and_leaves_nothing_for_the_next_call) {
  for (const bool turned : {false, true}) {
    for (const Shape& shape : {Shape{130, 70, 1100}, Shape{64, 300, 1024}}) {
      const GemmBatch batch = batch_at(shape, 7, turned, turned, turned);
      for (const bool digits : {false, true}) {
        const auto session = session_of(batch, digits);
        for (int again = 0; again < 2; ++again)
          for (const Data& one : data()) expect_right(batch, one, *session, digits);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_F(TensorBatch, takes_one_operand_for_all_products) {
  for (const bool turned : {false, true}) {
    for (const Data& one : data()) {
      GemmBatch batch = batch_at({150, 140, 1100}, 4, turned, turned, true);
      batch.stride_b = 0;
      expect_right(batch, one);
      batch = batch_at({150, 140, 1100}, 4, turned, turned, true);
      batch.stride_a = 0;
      expect_right(batch, one);
      if (HasFailure()) return;
    }
  }
}

TEST_F(TensorBatch, of_more_products_than_run_at_once_is_right) {
  expect_right(batch_at({130, 140, 130}, 150, false, false, false), data()[0]);
  expect_right(batch_at({128, 128, 1024}, 70, false, true, false), data()[0]);
}

TEST_F(TensorBatch, takes_a_nan_of_one_product_to_that_product_alone) {
  const Shape shape{40, 50, 128};
  const GemmBatch batch = batch_at(shape, 3, false, false, false);
  const auto session = gpu::parts::make_tensor_session(batch, true, true);
  std::vector<float> a(static_cast<std::size_t>(3 * shape.a_count()), 1);
  const std::vector<float> b(static_cast<std::size_t>(3 * shape.b_count()), 1);
  a[static_cast<std::size_t>(shape.a_count() + 5 * shape.k)] = NAN;
  Guarded A(*backend_, static_cast<std::int64_t>(a.size()));
  Guarded B(*backend_, static_cast<std::int64_t>(b.size()));
  Guarded C(*backend_, 3 * shape.c_count());
  A.write(a);
  B.write(b);
  multiply(*session, A.data(), B.data(), C.data());
  backend_->synchronize();
  const std::vector<float> c = C.read();
  for (std::int64_t i = 0; i < 3 * shape.c_count(); ++i) {
    const bool nan = i / shape.c_count() == 1 && i % shape.c_count() / shape.n == 5;
    ASSERT_TRUE(nan ? std::isnan(c[static_cast<std::size_t>(i)]) : c[static_cast<std::size_t>(i)] == 128)
        << i;
  }
}

}  // namespace
}  // namespace gemmlab
