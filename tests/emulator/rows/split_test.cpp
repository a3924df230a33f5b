// gpu.tensor's split: whichever arithmetic the data lead to, what was written stands for the operands as it should.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "operations/gemm/implementation.h"
#include "runner/commands/emulated.h"
#include "tests/operation_case.h"

namespace gemmlab::emulation {
namespace {

enum Arithmetic { kDigits, kHalf, kBfloat, kPlain };  // operand_scan.h

struct Data {
  const char* name;
  std::function<float(std::mt19937&)> element;
  int power_of_a;  ///< of two, that its elements are multiplied by
  int power_of_b;
  Arithmetic expected;
};

std::vector<Data> data() {
  const auto uniform = [](std::mt19937& random) {
    return std::uniform_real_distribution<float>(-1, 1)(random);
  };
  const auto normal = [](std::mt19937& random) { return std::normal_distribution<float>()(random); };
  const auto relu = [=](std::mt19937& random) { return std::max(normal(random), 0.0f); };
  const auto relu_and_tiny = [=](std::mt19937& random) {
    return random() % 50 == 0 ? 0x1p-36f : relu(random);
  };
  const auto outliers = [=](std::mt19937& random) {
    return uniform(random) * (random() % 100 == 0 ? 1024.0f : 1.0f);
  };
  const auto sparse = [=](std::mt19937& random) { return random() % 20 == 0 ? normal(random) : 0; };
  const auto wide = [=](std::mt19937& random) {
    return std::ldexp(uniform(random), -static_cast<int>(random() % 70));
  };
  return {{"uniform", uniform, 0, 0, kDigits},
          {"tiny uniform", uniform, -120, 60, kDigits},
          {"normal", normal, 0, 0, kHalf},
          {"tiny normal", normal, -50, -50, kHalf},
          {"large normal", normal, 50, 50, kHalf},
          {"tiny and large normal", normal, -110, 100, kHalf},
          {"of a network's layer", relu, -6, 0, kHalf},
          {"zeros, and what pairs do not hold", relu_and_tiny, 0, 0, kBfloat},
          {"outliers", outliers, 0, 0, kHalf},
          {"sparse", sparse, 0, 0, kBfloat},
          {"tiny sparse", sparse, -50, -40, kBfloat},
          {"zeros", [](auto&) { return 0.0f; }, 0, 0, kDigits},
          {"of a wide span", wide, 0, 0, kPlain},
          {"uniform again", uniform, 0, 0, kDigits}};
}

class Split : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { use_library(GEMMLAB_SPLIT_LIBRARY); }

  /// One session multiplies all data in turn: nothing of one call may be left in the next.
  static void expect_right(const Shape& shape, bool transpose_a, bool transpose_b) {
    expect_right(shape, transpose_a, transpose_b, 1, 0);
  }

  /// Of a batch of products; `gap` is split_product.cpp's. The last product's matrices alone decide how all are split: the
  /// others' are uniform.
  static void expect_right(const Shape& shape, bool transpose_a, bool transpose_b, std::int64_t batch,
                           std::int64_t gap) {
    for (const bool pairs_first : {false, true})
      expect_right(shape, transpose_a, transpose_b, batch, gap, pairs_first);
  }

  static void expect_right(const Shape& shape, bool transpose_a, bool transpose_b, std::int64_t batch,
                           std::int64_t gap, bool pairs_first) {
    SCOPED_TRACE(testing::Message() << batch << " of " << shape.m << "x" << shape.k << "x" << shape.n
                                    << ", transposed " << transpose_a << transpose_b << ", gap " << gap
                                    << ", pairs first " << pairs_first);
    const Implementation& row = *emulated_rows().at(0);
    const Instance instance =
        gemm_at(batch == 1 ? shape : Shape{batch * shape.m + 1, batch * shape.n + 1, shape.k});
    const Shape held = shape_of(instance);
    const auto session =
        row.prepare(instance, complete(row.description(), {{"transpose_a", std::int64_t{transpose_a}},
                                                           {"transpose_b", std::int64_t{transpose_b}},
                                                           {"batch", batch},
                                                           {"gap", gap},
                                                           {"pairs_first", std::int64_t{pairs_first}}}));
    const std::int64_t between = std::max<std::int64_t>(gap, 0);
    const std::int64_t stride_a = gap == -1 ? 0 : shape.a_count() + between;
    const std::int64_t stride_b = gap == -2 ? 0 : shape.b_count() + between;
    const std::int64_t stride_c = shape.c_count() + between;
    for (const Data& one : data()) {
      SCOPED_TRACE(one.name);
      std::mt19937 random(1);
      const auto filled = [&](std::int64_t all, std::int64_t count, std::int64_t stride, int power) {
        std::vector<float> values(static_cast<std::size_t>(all), NAN);
        for (std::int64_t i = 0; i < (stride == 0 ? 1 : batch); ++i) {
          const Data& of = stride != 0 && i < batch - 1 ? data().front() : one;
          for (std::int64_t at = i * stride; at < i * stride + count; ++at)
            values[static_cast<std::size_t>(at)] = std::ldexp(of.element(random), power);
        }
        return values;
      };
      std::vector<float> a = filled(held.a_count(), shape.a_count(), stride_a, one.power_of_a);
      std::vector<float> b = filled(held.b_count(), shape.b_count(), stride_b, one.power_of_b);
      std::vector<float> c(static_cast<std::size_t>(held.c_count()), -1);
      session->run(Operands({a.data(), b.data(), c.data()}));
      EXPECT_EQ(std::get<std::int64_t>(session->chosen().at("arithmetic")),
                pairs_first && one.expected == kDigits ? kHalf : one.expected);
      for (std::int64_t i = 0; i < (batch > 1 ? batch : 1); ++i)
        expect_close(shape, transpose_a, transpose_b, a.data() + i * stride_a, b.data() + i * stride_b,
                     c.data() + i * stride_c);
    }
  }

  /// One product, to FP32's accuracy.
  static void expect_close(const Shape& shape, bool transpose_a, bool transpose_b, const float* a,
                           const float* b, const float* c) {
    double worst = 0;
    for (std::int64_t i = 0; i < shape.m; ++i) {
      for (std::int64_t j = 0; j < shape.n; ++j) {
        double sum = 0;
        double size = 0;
        for (std::int64_t k = 0; k < shape.k; ++k) {
          const double product = double{a[transpose_a ? k * shape.m + i : i * shape.k + k]} *
                                 b[transpose_b ? j * shape.k + k : k * shape.n + j];
          sum += product;
          size += std::fabs(product);
        }
        const double off = std::fabs(c[i * shape.n + j] - sum);
        worst = std::max(worst, off == 0 ? 0 : off / size);
      }
    }
    EXPECT_LE(worst, 4 * 0x1p-24);
  }

  /// By four blocks that share halves of A and B, of which one half is of other data than the rest. The arithmetic of the
  /// last block.
  static std::int64_t expect_right_in_blocks(Session& session, const Shape& shape, bool transpose_a,
                                             bool transpose_b, const Data& other, int half) {
    SCOPED_TRACE(testing::Message() << other.name << " in half " << half);
    std::mt19937 random(1);
    const auto value = [&](bool is_other, int power) {
      return std::ldexp((is_other ? other : data().front()).element(random), is_other ? power : 0);
    };
    std::vector<float> a(static_cast<std::size_t>(shape.a_count())),
        b(static_cast<std::size_t>(shape.b_count())), c(static_cast<std::size_t>(shape.c_count()), -1);
    for (std::int64_t i = 0; i < shape.m; ++i)
      for (std::int64_t k = 0; k < shape.k; ++k)
        a[static_cast<std::size_t>(transpose_a ? k * shape.m + i : i * shape.k + k)] =
            value(half == (i < shape.m / 2 ? 0 : 1), other.power_of_a);
    for (std::int64_t j = 0; j < shape.n; ++j)
      for (std::int64_t k = 0; k < shape.k; ++k)
        b[static_cast<std::size_t>(transpose_b ? j * shape.k + k : k * shape.n + j)] =
            value(half == (j < shape.n / 2 ? 2 : 3), other.power_of_b);
    session.run(Operands({a.data(), b.data(), c.data()}));
    expect_close(shape, transpose_a, transpose_b, a.data(), b.data(), c.data());
    return std::get<std::int64_t>(session.chosen().at("arithmetic"));
  }
};

TEST_F(Split, stands_for_the_operands) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      expect_right({9, 36, 700}, transpose_a,
                   transpose_b);  // rows that vectors read whole, those of A excepted
      expect_right({12, 35, 701}, transpose_a, transpose_b);  // that none does
    }
  }
}

TEST_F(Split, takes_rows_longer_than_its_registers) {
  expect_right({3, 4, 8400}, false, true);
  expect_right({3, 4, 8401}, false, false);
}

TEST_F(Split, takes_batches_with_gaps_and_operands_that_are_one_for_all) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      expect_right({5, 36, 700}, transpose_a, transpose_b, 2, 0);
      for (const std::int64_t gap : {3, -1, -2}) expect_right({4, 7, 701}, transpose_a, transpose_b, 3, gap);
    }
  }
}

/// The session is the same for all data: what an earlier call has found and split is not left.
TEST_F(Split, is_shared_by_blocks_and_done_anew_where_digits_do_not_hold) {
  const Shape shape{9, 22, 701};
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      SCOPED_TRACE(testing::Message() << "transposed " << transpose_a << transpose_b);
      const Implementation& row = *emulated_rows().at(0);
      const auto session =
          row.prepare(gemm_at(shape), complete(row.description(), {{"transpose_a", std::int64_t{transpose_a}},
                                                                   {"transpose_b", std::int64_t{transpose_b}},
                                                                   {"four_blocks", std::int64_t{1}}}));
      std::set<std::int64_t> seen;
      for (int half = 0; half < 4; ++half) {
        for (const Data& other : data())
          seen.insert(expect_right_in_blocks(*session, shape, transpose_a, transpose_b, other, half));
      }
      EXPECT_EQ(seen, (std::set<std::int64_t>{kDigits, kHalf, kBfloat, kPlain}));
    }
  }
}

}  // namespace
}  // namespace gemmlab::emulation
