// gpu.tensor's split: whichever arithmetic the data lead to, what was written stands for the operands as it should.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/gemm/implementation.h"
#include "gpu/emulation/suite/library.h"
#include "tests/operation_case.h"

namespace gemmlab::emulation {
namespace {

enum Arithmetic { kDigits, kHalf, kBfloat, kPlain };  // findings.h

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
    SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.k << "x" << shape.n << ", transposed "
                                    << transpose_a << transpose_b);
    const Implementation& row = *emulated_rows().at(0);
    const Instance instance = gemm_at(shape);
    const auto session =
        row.prepare(instance, complete(row.description(), {{"transpose_a", std::int64_t{transpose_a}},
                                                           {"transpose_b", std::int64_t{transpose_b}}}));
    for (const Data& one : data()) {
      SCOPED_TRACE(one.name);
      std::mt19937 random(1);
      std::vector<float> a(static_cast<std::size_t>(shape.a_count()));
      std::vector<float> b(static_cast<std::size_t>(shape.b_count()));
      std::vector<float> c(static_cast<std::size_t>(shape.c_count()), -1);
      for (float& element : a) element = std::ldexp(one.element(random), one.power_of_a);
      for (float& element : b) element = std::ldexp(one.element(random), one.power_of_b);
      session->run(Operands({a.data(), b.data(), c.data()}));
      EXPECT_EQ(std::get<std::int64_t>(session->chosen().at("arithmetic")), one.expected);
      double worst = 0;
      for (std::int64_t i = 0; i < shape.m; ++i) {
        for (std::int64_t j = 0; j < shape.n; ++j) {
          double sum = 0;
          double size = 0;
          for (std::int64_t k = 0; k < shape.k; ++k) {
            const double product =
                double{a[static_cast<std::size_t>(transpose_a ? k * shape.m + i : i * shape.k + k)]} *
                b[static_cast<std::size_t>(transpose_b ? j * shape.k + k : k * shape.n + j)];
            sum += product;
            size += std::fabs(product);
          }
          const double off = std::fabs(c[static_cast<std::size_t>(i * shape.n + j)] - sum);
          worst = std::max(worst, off == 0 ? 0 : off / size);
        }
      }
      EXPECT_LE(worst, 4 * 0x1p-24);
    }
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

}  // namespace
}  // namespace gemmlab::emulation
