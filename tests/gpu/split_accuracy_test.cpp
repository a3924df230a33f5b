// What computes FP32's accuracy from split operands, on data that splitting finds hard.

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "gpu/device/device.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/tensor/instructions/wgmma_here.h"
#include "gpu/gemm/tensor/session.h"
#include "operations/gemm/implementation.h"
#include "operations/gemm/reference.h"
#include "tests/gemm_forms.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

using gpu::parts::WgmmaChoice;

constexpr Shape kShape{150, 141, 777};
constexpr double kUnit = 0x1p-24;

/// An operand's element at (row, col) from a normal value there; k is its place along K, line the other one.
using Change = std::function<double(double value, std::int64_t line, std::int64_t k)>;

struct Hard {
  const char* name;
  Change a;
  Change b;
  bool all_alike;  ///< all elements of a row or column matter alike: the error is held against a library's
};

double same(double value, std::int64_t, std::int64_t) {
  return value;
}

std::vector<Hard> hard_data() {
  const auto scaled = [](double factor) { return [factor](double v, auto, auto) { return v * factor; }; };
  const auto every = [](int step, double factor) {
    return
        [=](double v, std::int64_t line, std::int64_t k) { return (line + k) % step == 0 ? v * factor : v; };
  };
  const auto at = [](std::int64_t place, double what) {
    return
        [=](double v, std::int64_t line, std::int64_t k) { return line == place && k == place ? what : v; };
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Change by_line = [](double v, std::int64_t line, auto) {
    return std::ldexp(v, int(line * 37 % 90) - 45);
  };
  const Change by_place = [](double v, auto, std::int64_t k) { return std::ldexp(v, int(k * 7 % 24) - 12); };
  return {
      {"normal", same, same, true},
      {"a_scale_for_each_row_and_column", by_line, by_line, true},
      {"denormals_in_a", scaled(0x1p-135), scaled(0x1p30), true},
      {"results_that_are_denormal", scaled(0x1p-80), scaled(0x1p-60), false},
      {"huge", scaled(0x1p100), scaled(0x1p-90), true},
      {"powers_of_two_along_k", by_place, by_place, false},
      {"a_few_huge_among_tiny", every(97, 0x1p20), same, false},
      {"a_spread_of_2_to_the_70", every(3, 0x1p70), same, false},
      // the large elements meet zeros, so that the small ones make up the result
      {"large_where_the_other_is_zero", [](double v, auto, auto k) { return k % 8 == 0 ? v * 0x1p40 : v; },
       [](double v, auto, auto k) { return k % 8 == 0 ? 0 : v; }, false},
      {"zero_rows_and_columns", [](double v, auto line, auto) { return line % 3 == 0 ? 0 : v; },
       [](double v, auto line, auto) { return line % 5 == 0 ? 0 : v; }, true},
      {"one_infinity", at(5, kInfinity), same, false},
      {"infinities_that_cancel", every(400, kInfinity), same, false},
      {"one_nan", same, at(7, std::numeric_limits<double>::quiet_NaN()), false},
      {"normal_again", same, same, true},
  };
}

std::vector<float> matrix(std::int64_t rows, std::int64_t cols, Operand operand, const Change& change) {
  std::vector<float> values(rows * cols);
  fill(values.data(), rows, cols, Distribution::kNormal, 1, operand, 0, 1);
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    const std::int64_t row = i / cols;
    const std::int64_t col = i % cols;
    // bits below those of the generator's multiples of 2⁻²³
    const double value = values[i] * (1 + static_cast<double>(i % 1013) * 0x1p-17);
    values[i] =
        static_cast<float>(operand == Operand::kA ? change(value, row, col) : change(value, col, row));
  }
  return values;
}

struct Exact {
  std::vector<double> product;
  std::vector<double> sizes;  // |A||B|
};

Exact exact_product(const std::vector<float>& a, const std::vector<float>& b) {
  Exact exact{std::vector<double>(kShape.c_count(), 0.0), std::vector<double>(kShape.c_count(), 0.0)};
  for (std::int64_t row = 0; row < kShape.m; ++row) {
    for (std::int64_t k = 0; k < kShape.k; ++k) {
      const double factor = a[row * kShape.k + k];
      for (std::int64_t col = 0; col < kShape.n; ++col) {
        const double term = factor * b[k * kShape.n + col];
        exact.product[row * kShape.n + col] += term;
        exact.sizes[row * kShape.n + col] += std::abs(term);
      }
    }
  }
  return exact;
}

/// Elements outside the bound that every fp32 product is held to; not finite ones must be the same.
std::int64_t outside(const std::vector<float>& c, const Exact& exact) {
  const double slack = static_cast<double>(kShape.k) * 0x1p-149;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double right = exact.product[i];
    const bool held = std::isnan(right)   ? std::isnan(c[i])
                      : std::isinf(right) ? c[i] == right
                                          : std::abs(c[i] - right) <= 16 * kUnit * exact.sizes[i] + slack;
    if (!held) ++count;
  }
  return count;
}

/// The mean square error, each element's in units of its |A||B|: rows and columns of all scales count alike.
double mean_error(const std::vector<float>& c, const Exact& exact) {
  double error = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (exact.sizes[i] > 0) error += std::pow((c[i] - exact.product[i]) / exact.sizes[i], 2);
  }
  return std::sqrt(error / static_cast<double>(c.size()));
}

class SplitAccuracy : public OnGpu {
 protected:
  std::vector<float> product(Session& session, const std::vector<float>& host_a,
                             const std::vector<float>& host_b, const Shape& shape = kShape) {
    Guarded a(*backend_, shape.a_count());
    Guarded b(*backend_, shape.b_count());
    Guarded c(*backend_, shape.c_count());
    c.poison();
    a.write(host_a);
    b.write(host_b);
    multiply(session, a.data(), b.data(), c.data());
    backend_->synchronize();
    EXPECT_EQ(c.changed_outside(), 0);
    return c.read();
  }

  /// A session of a vendor's library; nullptr where there is none.
  static std::unique_ptr<Session> library(const Shape& shape = kShape) {
    for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
      if (implementation->description().reference && implementation->unavailable().empty()) {
        return implementation->prepare(gemm_at(shape), complete(implementation->description(), {}));
      }
    }
    return nullptr;
  }

  static std::string arithmetic_of(const Session& session) {
    return std::get<std::string>(session.chosen().at("arithmetic"));
  }

  /// A session by wgmma; nullptr where the card or the build has none.
  static std::unique_ptr<Session> by_wgmma(const Shape& shape, const GemmForm& form,
                                           const WgmmaChoice& choice) {
    if (!gpu::unavailable().empty() || !gpu::parts::wgmma_here()) return nullptr;
    return gpu::parts::make_tensor_session({shape, form}, true, true, {}, choice);
  }
  /// One that multiplies digits where the data allow it.
  static std::unique_ptr<Session> by_digits(const Shape& shape) {
    WgmmaChoice choice = gpu::parts::choose_wgmma(shape, gpu::this_card().sms);
    choice.digits = true;
    return by_wgmma(shape, form_of(shape), choice);
  }

  static constexpr const char* kDigits = "6 products of scaled INT8 triples";
  static constexpr const char* kPairs = "3 products of scaled FP16 pairs";

  /// `use(session, trace)` for each choice of parameters of each implementation that splits.
  template <typename Use>
  static void each_split(const Shape& shape, Use&& use) {
    for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
      if (implementation->description().precision != Precision::kFp32Split) continue;
      if (!implementation->unavailable().empty()) continue;
      for (const Parameters& parameters : all_choices(implementation->description())) {
        // staged beforehand, and then by the same kernels
        if (implementation->operands_resident(parameters)) continue;
        std::string trace = implementation->description().id;
        for (const auto& [name, value] : parameters) trace += " " + name + "=" + to_string(value);
        use(*implementation->prepare(gemm_at(shape), parameters), trace);
      }
    }
  }
};

/// A case's matrices, and what is known of their product.
struct Given {
  std::string name;
  std::vector<float> a;
  std::vector<float> b;
  Exact exact;
  double most_error = std::numeric_limits<double>::infinity();
};

TEST_F(SplitAccuracy, holds_the_bound_of_fp32_on_hard_data_whatever_came_before) {
  const std::unique_ptr<Session> reference = library();
  std::vector<Given> given;
  for (const Hard& hard : hard_data()) {
    Given one{hard.name,
              matrix(kShape.m, kShape.k, Operand::kA, hard.a),
              matrix(kShape.k, kShape.n, Operand::kB, hard.b),
              {}};
    one.exact = exact_product(one.a, one.b);
    if (reference && hard.all_alike) {
      one.most_error = mean_error(product(*reference, one.a, one.b), one.exact);
    }
    given.push_back(std::move(one));
  }
  each_split(kShape, [&](Session& session, const std::string& trace) {
    for (const Given& one : given) {
      const std::vector<float> c = product(session, one.a, one.b);
      SCOPED_TRACE(trace + ", " + one.name + ": " + arithmetic_of(session));
      EXPECT_EQ(outside(c, one.exact), 0) << "elements are outside the bound";
      if (!std::isfinite(one.most_error)) continue;
      EXPECT_LE(mean_error(c, one.exact), one.most_error);
    }
  });
}

/// Of a K so long that a library splits it, and of one so short that its sums have few roundings.
TEST_F(SplitAccuracy, no_distribution_has_a_larger_error_than_a_library_makes) {
  for (const Shape& shape : {Shape{128, 128, 8192}, Shape{128, 128, 100}}) {
    const std::unique_ptr<Session> reference = library(shape);
    if (!reference) GTEST_SKIP() << "no library to compare with";
    for (const std::string& name : distribution_names()) {
      const Distribution distribution = distribution_from(name);
      // of 100 products a sum of few that are not zero, or of integers, is rounded at random or not at all
      if (distribution == Distribution::kInteger) continue;
      if (shape.k == 100 && distribution == Distribution::kSparse) continue;
      std::vector<float> a(shape.a_count());
      std::vector<float> b(shape.b_count());
      fill(a.data(), shape.m, shape.k, distribution, 3, Operand::kA, 0, 1);
      fill(b.data(), shape.k, shape.n, distribution, 3, Operand::kB, 0, 1);
      const Reference truth(shape, distribution, 3, plain_double_product);
      const auto eta = [&](Session& session) {
        return truth.check(product(session, a, b, shape).data(), 0).front().eta_max;
      };
      const double of_library = eta(*reference);
      each_split(shape, [&](Session& session, const std::string& trace) {
        EXPECT_LE(eta(session), of_library) << trace << ", " << name << ", K = " << shape.k;
      });
    }
  }
}

TEST_F(SplitAccuracy, digits_serve_even_data_only_and_err_no_more_than_a_library) {
  const Shape shape{769, 771, 1031};
  const std::unique_ptr<Session> session = by_digits(shape);
  if (!session) GTEST_SKIP() << "no wgmma here";
  const std::unique_ptr<Session> reference = library(shape);
  for (const std::string& name : distribution_names()) {
    const Distribution distribution = distribution_from(name);
    const std::int32_t limit = integer_limit(shape.k);
    std::vector<float> a(shape.a_count());
    std::vector<float> b(shape.b_count());
    fill(a.data(), shape.m, shape.k, distribution, 3, Operand::kA, 0, limit);
    fill(b.data(), shape.k, shape.n, distribution, 3, Operand::kB, 0, limit);
    const Reference truth(shape, distribution, 3, plain_double_product);
    const double eta = truth.check(product(*session, a, b, shape).data(), 0).front().eta_max;
    const bool even = name == "uniform" || name == "integer" || name == "nonnegative" || name == "cancelling";
    EXPECT_EQ(arithmetic_of(*session) == kDigits, even) << name;
    if (!reference) continue;
    EXPECT_LE(eta, truth.check(product(*reference, a, b, shape).data(), 0).front().eta_max) << name;
  }
}

/// C = op(A)·op(B) for magnitudes near one another, which digits hold from K = 30 or so on, each stored as such and turned: so few
/// accesses that a checker of races or of uninitialised memory comes to its end with them.
class SplitInShort : public SplitAccuracy {
 protected:
  void expect_exact(const Shape& shape) {
    expect_exact(shape, {true, 128, false}, kDigits);
    expect_exact(shape, {false, 128, false}, kPairs);
    expect_exact(shape, {false, 64, false}, kPairs);
    expect_exact(shape, {false, 128, true}, kPairs);
  }

 private:
  void expect_exact(const Shape& shape, const WgmmaChoice& choice, const std::string& arithmetic) {
    SCOPED_TRACE(testing::Message() << arithmetic << ", tiles of " << choice.cols << ", carries "
                                    << choice.carries);
    const std::vector<float> a = matrix_of(shape.a_count(), 1);
    const std::vector<float> b = matrix_of(shape.b_count(), 2);
    const std::vector<float> right = plain_product(a, b, shape);
    for (const bool turned : {false, true}) {
      SCOPED_TRACE(turned ? "both transposed" : "none transposed");
      const std::unique_ptr<Session> session = by_wgmma(shape, form_of(shape, turned, turned), choice);
      if (!session) GTEST_SKIP() << "no wgmma here";
      const std::vector<float> c = product(*session, turned ? transposed(a, shape.m, shape.k) : a,
                                           turned ? transposed(b, shape.k, shape.n) : b, shape);
      EXPECT_EQ(arithmetic_of(*session), arithmetic);
      EXPECT_EQ(different(c, right), 0);
    }
  }

  /// Whole numbers of 120 to 127 of either sign: sums of up to 1040 products are exact in FP32.
  static std::vector<float> matrix_of(std::int64_t count, std::uint32_t state) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(120 + (state >> 24) % 8) * (state >> 31 ? -1.0f : 1.0f);
    }
    return values;
  }
  static std::vector<float> transposed(const std::vector<float>& values, std::int64_t rows,
                                       std::int64_t cols) {
    std::vector<float> turned(values.size());
    for (std::int64_t i = 0; i < rows * cols; ++i) turned[i % cols * rows + i / cols] = values[i];
    return turned;
  }
};

TEST_F(SplitInShort, is_exact_of_one_segment_with_ragged_edges) {
  expect_exact({300, 200, 131});
}

/// A row goes to several warps, and a turned operand to several chunks of K.
TEST_F(SplitInShort, is_exact_of_several_segments) {
  expect_exact({512, 256, 1040});
}

/// Elements that digits lose meet all of what the other operand has: the means alone would not tell.
TEST_F(SplitAccuracy, digits_leave_small_elements_that_make_up_the_result) {
  const Shape shape{1024, 768, 1024};
  std::vector<float> a = uniform_matrix(shape.m, shape.k, Operand::kA);
  std::vector<float> b = uniform_matrix(shape.k, shape.n, Operand::kB);
  for (std::int64_t i = 0; i < shape.a_count(); ++i) a[i] *= i % 2 == 0 ? 0x1p-20f : 1.0f;
  for (std::int64_t i = 0; i < shape.b_count(); ++i) b[i] *= i / shape.n % 2 == 0 ? 1.0f : 0.0f;
  const std::vector<float> right = plain_product(a, b, shape);
  const std::unique_ptr<Session> session = by_digits(shape);
  if (!session) GTEST_SKIP() << "no wgmma here";
  const std::vector<float> c = product(*session, a, b, shape);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    error += std::pow(c[i] - right[i], 2);
    size += std::pow(right[i], 2);
  }
  EXPECT_LE(std::sqrt(error / size), 1e-6);
}

}  // namespace
}  // namespace gemmlab
