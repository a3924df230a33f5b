// gemm in other types than float32: what is drawn, what is refused, and what the reference finds.

#include "operations/gemm/types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "operations/gemm/implementation.h"
#include "operations/gemm/reference.h"
#include "operations/gemm/stored_matrix.h"

namespace gemmlab {
namespace {

/// gemm at the shape, at each of its odd options and some with more.
std::vector<Instance> typed(const Shape& shape) {
  std::vector<Instance> all;
  for (const Options& options : gemm().odd_options())
    all.push_back(instance_of(gemm(), {shape.m, shape.n, shape.k}, options));
  const auto word = [](const char* text) { return OptionValue(std::string(text)); };
  all.push_back(instance_of(gemm(), {shape.m, shape.n, shape.k},
                            {{"type", word("float16")},
                             {"transpose_a", word("yes")},
                             {"alpha", 0.75},
                             {"beta", -1.5},
                             {"ldc_extra", std::int64_t{3}}}));
  all.push_back(
      instance_of(gemm(), {shape.m, shape.n, shape.k},
                  {{"type", word("int8")}, {"result", word("int32")}, {"transpose_b", word("yes")}}));
  return all;
}

/// What becomes of a sum before it is stored.
using Finish = std::function<double(double sum)>;

/// The operands of a set as the harness fills them, and a product of them in double, each sum rounded once.
struct Product {
  Product(const Instance& instance, const InputValues& values, std::int64_t set,
          const Finish& finish = nullptr)
      : types(types_of(instance)), form(form_of(instance)) {
    std::vector<std::vector<float>> wide;
    for (std::size_t operand = 0; operand < 3; ++operand) {
      const auto count = static_cast<std::size_t>(gemm().count(instance, operand));
      stored.emplace_back(static_cast<std::size_t>(instance.bytes(operand)), '\xff');
      if (instance.operands()[operand].direction != Direction::kOut)
        gemm().fill(instance, operand, values, set, stored[operand].data());
      wide.emplace_back(count);
      widen(operand == 2 ? types.result : types.type, stored[operand].data(),
            static_cast<std::int64_t>(count), wide[operand].data());
    }
    const Shape shape = shape_of(instance);
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t col = 0; col < shape.n; ++col) {
        double sum = 0;
        for (std::int64_t p = 0; p < shape.k; ++p) {
          sum += double{wide[0][form.transpose_a ? p * form.lda + row : row * form.lda + p]} *
                 wide[1][form.transpose_b ? col * form.ldb + p : p * form.ldb + col];
        }
        const std::int64_t at = row * form.ldc + col;
        sum = form.alpha * sum + (form.beta == 0 ? 0 : double{form.beta} * wide[2][at]);
        put(at, finish ? finish(sum) : sum);
      }
    }
  }

  void put(std::int64_t at, double value) {
    char* to = stored[2].data() + at * static_cast<std::int64_t>(bytes_of(types.result));
    if (types.result == ElementType::kInt32) {
      const auto whole = static_cast<std::int32_t>(value);
      std::memcpy(to, &whole, sizeof whole);
    } else {
      const auto narrowed = static_cast<float>(value);
      narrow(types.result, &narrowed, 1, to);
    }
  }
  Operands outputs() { return gemm_operands(nullptr, nullptr, stored[2].data()); }
  Operands operands() { return gemm_operands(stored[0].data(), stored[1].data(), stored[2].data()); }

  GemmTypes types;
  GemmForm form;
  std::vector<std::vector<char>> stored;
};

Verdict verdict(const Instance& instance, const InputValues& values, std::int64_t set, Product product) {
  return overall(gemm().reference(instance, values, plain_double_product)->check(product.outputs(), set));
}

TEST(GemmTypes, of_every_kind_pass_a_product_that_is_rounded_once) {
  for (const Instance& instance : typed({19, 23, 70})) {
    for (const Distribution distribution :
         {Distribution::kUniform, Distribution::kNormal, Distribution::kInteger}) {
      const InputValues values{distribution, 5};
      for (const std::int64_t set : {0, 1, 40}) {
        Product product(instance, values, set);
        EXPECT_EQ(gemm().unchanged(instance, product.operands(), values, set).verdict, Verdict::kOk);
        EXPECT_EQ(verdict(instance, values, set, product), Verdict::kOk)
            << to_string(instance) << ", " << to_string(distribution);
      }
    }
  }
}

TEST(GemmTypes, are_drawn_as_their_own_values_and_use_their_range) {
  for (const Instance& instance : typed({8, 300, 40})) {
    const ElementType type = types_of(instance).type;
    std::vector<char> stored(static_cast<std::size_t>(instance.bytes(0)));
    gemm().fill(instance, 0, {Distribution::kUniform, 1}, 0, stored.data());
    std::vector<float> wide(static_cast<std::size_t>(gemm().count(instance, 0)));
    widen(type, stored.data(), static_cast<std::int64_t>(wide.size()), wide.data());
    float largest = 0;
    for (const float value : wide) {
      EXPECT_EQ(value, rounded(type, value));
      largest = std::max(largest, std::abs(value));
    }
    EXPECT_GT(largest, type == ElementType::kInt8 ? 120 : 0.9F) << to_string(instance);
  }
}

// On whole numbers an element that was cut off, not rounded, is found, and one unit of the result is too much.
TEST(GemmTypes, find_a_narrow_result_that_is_cut_off_or_one_unit_wrong) {
  for (const Instance& instance : typed({33, 35, 200})) {
    const GemmTypes types = types_of(instance);
    if (!types.narrow_result() || form_of(instance).alpha != 1) continue;
    const InputValues values{Distribution::kInteger, 5};
    const double unit = 2 * unit_roundoff(types.result);
    int cut_off = 0;  // of results that hold every sum none is
    const Product cut(instance, values, 1, [&](double sum) {
      const double nearest = rounded(types.result, static_cast<float>(sum));
      if (std::abs(nearest) <= std::abs(sum)) return nearest;
      ++cut_off;
      return nearest * (1 - unit);
    });
    EXPECT_EQ(verdict(instance, values, 1, cut), cut_off > 0 ? Verdict::kIncorrect : Verdict::kOk)
        << to_string(instance);
    EXPECT_TRUE(cut_off > 0 || types.type == ElementType::kFloat8E5m2) << to_string(instance);
    Product spoilt(instance, values, 1);
    float before = 0;
    widen(types.result, spoilt.stored[2].data(), 1, &before);
    spoilt.put(0, before * (1 + unit));
    EXPECT_EQ(verdict(instance, values, 1, spoilt), Verdict::kIncorrect) << to_string(instance);
  }
}

TEST(GemmTypes, find_a_term_too_few_and_an_element_that_is_wrong) {
  for (const Instance& instance : typed({65, 66, 67})) {
    if (form_of(instance).beta != 0) continue;
    for (const Distribution distribution : {Distribution::kUniform, Distribution::kInteger}) {
      const InputValues values{distribution, 9};
      Product product(instance, values, 2);
      product.put(64 * form_of(instance).ldc + 65, 1e4);
      EXPECT_EQ(verdict(instance, values, 2, product), Verdict::kIncorrect) << to_string(instance);
    }
  }
}

TEST(GemmTypes, are_projected_with_room_for_the_rounding_of_each_element_and_little_more) {
  const Shape shape{300, 310, 64};
  for (const Instance& instance : typed(shape)) {
    const GemmTypes types = types_of(instance);
    if (form_of(instance).ldc != shape.n) continue;
    for (const Distribution distribution : {Distribution::kUniform, Distribution::kInteger}) {
      const Reference reference(shape, form_of(instance), distribution, 5, plain_double_product, true, types);
      const auto check = [&](Product& product) {
        const StoredMatrix lies = stored_c(shape, form_of(instance));
        if (types.result == ElementType::kInt32)
          return overall(reference.check(product.outputs().in<std::int32_t>(2), 3));
        return overall(reference.check(widened(types.result, product.stored[2].data(), lies).data(), 3));
      };
      Product product(instance, {distribution, 5}, 3);
      EXPECT_EQ(check(product), Verdict::kOk) << to_string(instance);
      // a tile that was left out, in the midst of C, where no sampled element need lie
      for (std::int64_t row = 100; row < 116; ++row) {
        for (std::int64_t col = 101; col < 117; ++col) product.put(row * shape.n + col, 0);
      }
      EXPECT_EQ(check(product), Verdict::kIncorrect) << to_string(instance);
    }
  }
}

TEST(GemmTypes, refuse_results_that_no_product_has) {
  const auto of = [](const char* type, const char* result, const Options& more = {}) {
    Options options{{"type", OptionValue(std::string(type))}, {"result", OptionValue(std::string(result))}};
    options.insert(more.begin(), more.end());
    return instance_of(gemm(), {4, 4, 4}, options);
  };
  EXPECT_THROW(of("float32", "bfloat16"), std::invalid_argument);
  EXPECT_THROW(of("bfloat16", "float16"), std::invalid_argument);
  EXPECT_THROW(of("int8", "same"), std::invalid_argument);
  EXPECT_THROW(of("int8", "int32", {{"alpha", 2.0}}), std::invalid_argument);
  EXPECT_THROW(of("float8_e4m3", "same"), std::invalid_argument);
  EXPECT_THROW(of("half", "same"), std::invalid_argument);
  EXPECT_THROW(of("bfloat16", "bfloat16"), std::invalid_argument) << "one product by two names";
  EXPECT_EQ(of("float32", "same"), gemm_at({4, 4, 4})) << "told by the default";
  EXPECT_EQ(describe(types_of(of("bfloat16", "float32"))), "bfloat16 to float32");
  EXPECT_EQ(of("int8", "int32").bytes(), 16 + 16 + 64);
  EXPECT_EQ(gemm().rates(of("int8", "int32")).front().unit, "GOP/s");
  EXPECT_EQ(gemm().least_bytes(of("float16", "same")), 2 * 48);
}

}  // namespace
}  // namespace gemmlab
