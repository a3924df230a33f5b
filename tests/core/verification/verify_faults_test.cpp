// Faults planted in C, each of which the verifier has to find: in small integers, where nothing but equality
// counts, and in uniform inputs, where it is held to the bound. Every fault at shapes checked whole and at
// shapes projected.

#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "tests/core/products.h"

namespace gemmlab {
namespace {

struct Case {
  Shape shape;
  bool projected;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [shape, projected] = info.param;
  std::ostringstream name;
  name << "m" << shape.m << "n" << shape.n << "k" << shape.k << (projected ? "projected" : "whole");
  return name.str();
}

/// What a faulty multiplication makes of its inputs.
using Faulty = std::function<std::vector<float>(const Inputs&)>;

Faulty with_element(std::int64_t row, std::int64_t col, std::function<float(float)> change) {
  return [=](const Inputs& inputs) {
    std::vector<float> c = product(inputs);
    const Shape& s = inputs.shape;
    // Negative positions count from the end.
    float& element = c[static_cast<std::size_t>((row + s.m) % s.m * s.n + (col + s.n) % s.n)];
    element = change(element);
    return c;
  };
}

class verify_faults : public testing::TestWithParam<Case> {
 protected:
  std::vector<Check> checks(Distribution distribution, const Faulty& faulty) {
    const Inputs inputs(GetParam().shape, distribution, 1);
    return reference(inputs, GetParam().projected).check(faulty(inputs).data(), 0);
  }
  void expect_found(const Faulty& faulty) {
    const std::vector<Check> exact = checks(Distribution::kInteger, faulty);
    EXPECT_EQ(overall(exact), Verdict::kIncorrect) << "by the exact check";
    std::vector<Check> bound = checks(Distribution::kUniform, faulty);
    EXPECT_EQ(overall(bound), Verdict::kIncorrect) << "by the bound alone";
    bound.insert(bound.end(), exact.begin(), exact.end());
    EXPECT_EQ(overall(bound), Verdict::kIncorrect) << "by both";
  }
  /// The fault is one of a whole element: both checks have to name its place.
  void expect_found_at(std::int64_t row, std::int64_t col, const Faulty& faulty) {
    expect_found(faulty);
    const Shape& s = GetParam().shape;
    for (const Distribution distribution : {Distribution::kInteger, Distribution::kUniform}) {
      const Check check = checks(distribution, faulty).front();
      EXPECT_EQ(check.worst_row, (row + s.m) % s.m) << check.method;
      EXPECT_EQ(check.worst_col, (col + s.n) % s.n) << check.method;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(shapes, verify_faults,
                         testing::Values(Case{{17, 31, 13}, false}, Case{{64, 64, 64}, false},
                                         Case{{97, 89, 101}, false}, Case{{33, 5, 129}, false},
                                         Case{{2, 3, 5}, false}, Case{{131, 150, 67}, true},
                                         Case{{64, 200, 33}, true}, Case{{7, 5, 12}, true}),
                         name_of);

TEST_P(verify_faults, accepts_the_right_result) {
  const Faulty right = [](const Inputs& inputs) { return product(inputs); };
  EXPECT_EQ(overall(checks(Distribution::kInteger, right)), Verdict::kOk);
  EXPECT_EQ(overall(checks(Distribution::kUniform, right)), Verdict::kOk);
}

TEST_P(verify_faults, rejects_one_nan_in_the_first_the_last_and_an_inner_element) {
  const auto nan = [](float) { return kNaN; };
  expect_found_at(0, 0, with_element(0, 0, nan));
  expect_found_at(-1, -1, with_element(-1, -1, nan));
  expect_found_at(1, 2, with_element(1, 2, nan));
}

TEST_P(verify_faults, rejects_one_infinity_of_either_sign) {
  expect_found_at(0, -1, with_element(0, -1, [](float) { return kInfinity; }));
  expect_found_at(-1, 0, with_element(-1, 0, [](float) { return -kInfinity; }));
}

TEST_P(verify_faults, rejects_one_wrong_element_wherever_it_is) {
  const Shape& s = GetParam().shape;
  const auto wrong = [](float value) { return value + 100; };
  for (const auto& [row, col] :
       {std::pair{std::int64_t{0}, std::int64_t{0}}, {s.m - 1, s.n - 1}, {s.m / 2, s.n / 3}}) {
    expect_found_at(row, col, with_element(row, col, wrong));
  }
}

TEST_P(verify_faults, rejects_an_integer_that_is_off_by_one_anywhere) {
  const Inputs inputs(GetParam().shape, Distribution::kInteger, 1);
  const Reference against = reference(inputs, GetParam().projected);
  std::vector<float> c = product(inputs);
  for (std::size_t i = 0; i < c.size(); i += 1 + c.size() / 53) {
    const float right = c[i];
    for (const float wrong : {right + 1, right - 1, right + 0.5f}) {
      c[i] = wrong;
      const std::vector<Check> found = against.check(c.data(), 0);
      EXPECT_EQ(overall(found), Verdict::kIncorrect) << "element " << i;
      EXPECT_EQ(found.front().worst_row * inputs.shape.n + found.front().worst_col,
                static_cast<std::int64_t>(i));
    }
    c[i] = right;
  }
  EXPECT_EQ(overall(against.check(c.data(), 0)), Verdict::kOk);
}

/// The last row or column is not written: what was there before stays.
Faulty without_last_row(float left) {
  return [left](const Inputs& inputs) {
    std::vector<float> c = product(inputs);
    std::fill(c.end() - static_cast<std::ptrdiff_t>(inputs.shape.n), c.end(), left);
    return c;
  };
}

Faulty without_last_col(float left) {
  return [left](const Inputs& inputs) {
    std::vector<float> c = product(inputs);
    const auto n = static_cast<std::size_t>(inputs.shape.n);
    for (std::size_t end = n; end <= c.size(); end += n) c[end - 1] = left;
    return c;
  };
}

TEST_P(verify_faults, rejects_a_missing_last_row_left_at_nan) {
  expect_found(without_last_row(kNaN));
}
TEST_P(verify_faults, rejects_a_missing_last_row_left_at_zero) {
  expect_found(without_last_row(0));
}
TEST_P(verify_faults, rejects_a_missing_last_column_left_at_nan) {
  expect_found(without_last_col(kNaN));
}
TEST_P(verify_faults, rejects_a_missing_last_column_left_at_zero) {
  expect_found(without_last_col(0));
}

TEST_P(verify_faults, rejects_a_dropped_tail_of_k) {
  const Faulty faulty = [](const Inputs& inputs) {
    Inputs cut = inputs;
    for (std::int64_t i = 0; i < inputs.shape.m; ++i) {
      cut.a[static_cast<std::size_t>((i + 1) * inputs.shape.k - 1)] = 0;
    }
    return product(cut);
  };
  EXPECT_EQ(overall(checks(Distribution::kInteger, faulty)), Verdict::kIncorrect);
  // One term of k may be as small as what lower precision loses; it is never taken for right.
  EXPECT_NE(overall(checks(Distribution::kUniform, faulty)), Verdict::kOk);
}

TEST_P(verify_faults, rejects_a_term_of_k_added_twice) {
  const Faulty faulty = [](const Inputs& inputs) {
    Inputs doubled = inputs;
    for (std::int64_t i = 0; i < inputs.shape.m; ++i)
      doubled.a[static_cast<std::size_t>(i * inputs.shape.k)] *= 2;
    return product(doubled);
  };
  EXPECT_EQ(overall(checks(Distribution::kInteger, faulty)), Verdict::kIncorrect);
  EXPECT_NE(overall(checks(Distribution::kUniform, faulty)), Verdict::kOk);
}

TEST_P(verify_faults, rejects_b_read_as_its_transpose) {
  expect_found([](const Inputs& inputs) {
    Inputs transposed = inputs;
    const auto n = static_cast<std::size_t>(inputs.shape.n);
    const auto k = static_cast<std::size_t>(inputs.shape.k);
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) transposed.b[p * n + j] = inputs.b[j * k + p];
    }
    return product(transposed);
  });
}

TEST_P(verify_faults, rejects_two_rows_swapped) {
  expect_found([](const Inputs& inputs) {
    std::vector<float> c = product(inputs);
    const auto n = static_cast<std::ptrdiff_t>(inputs.shape.n);
    std::swap_ranges(c.begin(), c.begin() + n, c.end() - n);
    return c;
  });
}

TEST_P(verify_faults, rejects_two_columns_swapped) {
  expect_found([](const Inputs& inputs) {
    std::vector<float> c = product(inputs);
    const auto n = static_cast<std::size_t>(inputs.shape.n);
    for (std::size_t row = 0; row < c.size(); row += n) std::swap(c[row], c[row + n - 1]);
    return c;
  });
}

TEST_P(verify_faults, rejects_the_result_of_a_previous_run_left_in_place) {
  expect_found([](const Inputs& inputs) {
    return product(Inputs(inputs.shape, inputs.distribution, inputs.seed + 1));
  });
}

TEST_P(verify_faults, rejects_the_result_of_another_rotation) {
  expect_found([](const Inputs& inputs) {
    return product(Inputs(inputs.shape, inputs.distribution, inputs.seed, 1));
  });
}

TEST_P(verify_faults, rejects_zeros_and_an_untouched_c) {
  for (const float left : {0.0f, kNaN}) {
    expect_found([left](const Inputs& inputs) {
      return std::vector<float>(static_cast<std::size_t>(inputs.shape.c_count()), left);
    });
  }
}

TEST_P(verify_faults, rejects_a_result_added_to_what_was_there) {
  expect_found([](const Inputs& inputs) {
    std::vector<float> c = product(inputs);
    for (float& value : c) value += value;
    return c;
  });
}

struct Format {
  const char* name;
  int bits;
  int lowest;
};
constexpr Format kFormats[] = {{"tf32", 11, -136}, {"fp16", 11, -24}, {"bf16", 8, -133}};

TEST_P(verify_faults, finds_inputs_rounded_to_fewer_bits_to_be_of_reduced_precision) {
  for (const Format& format : kFormats) {
    const Faulty faulty = [&](const Inputs& inputs) {
      Inputs narrow = inputs;
      for (float& value : narrow.a) value = rounded(value, format.bits, format.lowest);
      for (float& value : narrow.b) value = rounded(value, format.bits, format.lowest);
      return product(narrow);
    };
    const std::vector<Check> exact = checks(Distribution::kInteger, faulty);
    EXPECT_EQ(overall(exact), Verdict::kOk) << format.name << " holds integers up to 15";
    std::vector<Check> bound = checks(Distribution::kUniform, faulty);
    for (const Check& check : bound)
      EXPECT_EQ(check.verdict, Verdict::kReducedPrecision) << format.name << check.method;
    EXPECT_EQ(overall(bound), Verdict::kIncorrect) << "without an exact check that passed";
    bound.insert(bound.end(), exact.begin(), exact.end());
    EXPECT_EQ(overall(bound), Verdict::kReducedPrecision) << format.name;
  }
}

TEST_P(verify_faults, holds_nonnegative_inputs_to_the_loose_bound_and_never_certifies_them) {
  const auto verdict = [&](const Faulty& faulty) {
    return overall(checks(Distribution::kNonnegative, faulty));
  };
  EXPECT_EQ(verdict([](const Inputs& inputs) { return product(inputs); }), Verdict::kUncertified);
  EXPECT_EQ(verdict(with_element(-1, -1, [](float) { return kNaN; })), Verdict::kIncorrect);
  EXPECT_EQ(verdict(with_element(0, 0, [](float) { return kInfinity; })), Verdict::kIncorrect);
  EXPECT_EQ(verdict(with_element(0, 0, [](float value) { return value * 1.01f; })), Verdict::kIncorrect);
  EXPECT_EQ(verdict(without_last_row(0)), Verdict::kIncorrect);
}

}  // namespace
}  // namespace gemmlab
