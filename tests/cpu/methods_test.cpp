#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu/table.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::cpu {
namespace {

// Ones, primes, blocks and vector widths and their neighbours, and m, n, k all different.
const Shape kShapes[] = {{1, 1, 1},     {1, 1, 17},   {1, 17, 1},     {17, 1, 1},    {2, 3, 5},
                         {7, 5, 3},     {13, 11, 37}, {15, 16, 17},   {17, 15, 16},  {31, 33, 32},
                         {33, 32, 31},  {63, 65, 64}, {65, 64, 63},   {1, 129, 127}, {127, 1, 129},
                         {128, 127, 1}, {64, 64, 64}, {101, 97, 103}, {255, 3, 257}, {5, 257, 255}};

constexpr std::int64_t kGuard = 64;
constexpr float kCanary = 12345.75F;

/// Small nonzero integers, other ones for each seed: every sum of products is exact in float.
std::vector<float> integers(std::int64_t count, unsigned seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  unsigned state = seed * 2654435761U + 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    const int magnitude = static_cast<int>(state >> 24) % 15 + 1;
    value = static_cast<float>((state >> 20 & 1) != 0 ? magnitude : -magnitude);
  }
  return values;
}

std::vector<float> expected(const Shape& s, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(static_cast<std::size_t>(s.c_count()));
  for (std::int64_t row = 0; row < s.m; ++row) {
    for (std::int64_t col = 0; col < s.n; ++col) {
      double sum = 0;
      for (std::int64_t inner = 0; inner < s.k; ++inner) {
        sum += static_cast<double>(a[row * s.k + inner]) * b[inner * s.n + col];
      }
      c[row * s.n + col] = static_cast<float>(sum);
    }
  }
  return c;
}

/// C between two rows of canaries, poisoned with NaN.
class GuardedC {
 public:
  explicit GuardedC(std::int64_t count) : values_(static_cast<std::size_t>(count + 2 * kGuard), kCanary) {}
  float* data() { return values_.data() + kGuard; }
  void poison() { std::fill(values_.begin() + kGuard, values_.end() - kGuard, std::nanf("")); }
  bool guards_untouched() const {
    const auto untouched = [](float value) { return value == kCanary; };
    return std::all_of(values_.begin(), values_.begin() + kGuard, untouched) &&
           std::all_of(values_.end() - kGuard, values_.end(), untouched);
  }

 private:
  std::vector<float> values_;
};

std::string named(const Implementation& implementation, const Parameters& parameters, const Shape& shape) {
  std::string name = implementation.description().id;
  for (const auto& [key, value] : parameters) name += " " + key + "=" + to_string(value);
  return name + " m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.n) +
         " k=" + std::to_string(shape.k);
}

/// Two multiplies of one session with other inputs each: nothing of A or B may be kept.
void expect_exact(const Implementation& implementation, const Parameters& parameters, const Shape& shape) {
  ASSERT_EQ(implementation.why_not(gemm_at(shape), parameters), "")
      << named(implementation, parameters, shape);
  const auto session = implementation.prepare(gemm_at(shape), parameters);
  GuardedC c(shape.c_count());
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const auto a = integers(shape.a_count(), seed);
    const auto b = integers(shape.b_count(), seed + 100);
    const auto a_before = a;
    const auto b_before = b;
    c.poison();
    multiply(*session, a.data(), b.data(), c.data());
    const auto reference = expected(shape, a, b);
    for (std::int64_t i = 0; i < shape.c_count(); ++i) {
      ASSERT_EQ(c.data()[i], reference[i]) << named(implementation, parameters, shape) << " element " << i;
    }
    ASSERT_TRUE(c.guards_untouched()) << named(implementation, parameters, shape);
    ASSERT_TRUE(a == a_before && b == b_before) << named(implementation, parameters, shape);
  }
}

class CpuMethod : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    implementation_ = of_operation(implementations(), "gemm")[GetParam()];
    if (const auto reason = implementation_->unavailable(); !reason.empty()) GTEST_SKIP() << reason;
    const Instance of_float32 = gemm_at({1, 1, 1});
    const auto reason = implementation_->why_not(of_float32, complete(implementation_->description(), {}));
    if (!implementation_->meant_for(of_float32) && !reason.empty()) GTEST_SKIP() << reason;
  }
  bool has_threads() const { return implementation_->description().find("threads") != nullptr; }
  const Implementation* implementation_ = nullptr;
};

TEST_P(CpuMethod, is_exact_on_integers_at_every_choice_and_shape) {
  for (const Parameters& choice : all_choices(implementation_->description())) {
    for (const Shape& shape : kShapes) {
      expect_exact(*implementation_, choice, shape);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(CpuMethod, is_exact_on_more_threads_than_rows) {
  if (!has_threads()) GTEST_SKIP() << "it has no threads";
  for (const std::int64_t threads : {1, 2, 3, 7}) {
    const Parameters parameters = complete(implementation_->description(), {{"threads", threads}});
    // the last has few rows and many terms, which may be shared out
    for (const Shape& shape :
         {Shape{1, 1, 1}, Shape{2, 65, 33}, Shape{5, 3, 257}, Shape{129, 67, 131}, Shape{13, 70, 1031}}) {
      expect_exact(*implementation_, parameters, shape);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(CpuMethod, is_exact_on_one_session_after_another_took_other_threads) {
  if (!has_threads()) GTEST_SKIP() << "it has no threads";
  const Shape shape{33, 34, 35};
  const auto a = integers(shape.a_count(), 1);
  const auto b = integers(shape.b_count(), 2);
  const auto reference = expected(shape, a, b);
  const auto one = implementation_->prepare(
      gemm_at(shape), complete(implementation_->description(), {{"threads", std::int64_t{1}}}));
  const auto two = implementation_->prepare(
      gemm_at(shape), complete(implementation_->description(), {{"threads", std::int64_t{2}}}));
  std::vector<float> c(reference.size());
  for (Session* session : {one.get(), two.get(), one.get()}) {
    std::fill(c.begin(), c.end(), std::nanf(""));
    multiply(*session, a.data(), b.data(), c.data());
    EXPECT_EQ(c, reference);
    EXPECT_GE(session->threads_actual(), 1);
    EXPECT_LE(session->threads_actual(), session == two.get() ? 2 : 1);
  }
}

TEST_P(CpuMethod, says_how_many_threads_took_part) {
  const Description& description = implementation_->description();
  // the parameter's own words tell exact counts from upper limits
  const ParameterSpec* threads = description.find("threads");
  const bool exact = threads == nullptr || threads->summary == "threads, exactly";
  for (const std::int64_t asked : {1, 2, 5}) {
    const Parameters given = threads == nullptr ? Parameters{} : Parameters{{"threads", asked}};
    const std::int64_t most = threads == nullptr ? 1 : asked;
    const Shape shape{3, 40, 40};
    const auto session = implementation_->prepare(gemm_at(shape), complete(description, given));
    const auto a = integers(shape.a_count(), 1);
    const auto b = integers(shape.b_count(), 2);
    std::vector<float> c(static_cast<std::size_t>(shape.c_count()));
    multiply(*session, a.data(), b.data(), c.data());
    EXPECT_LE(session->threads_actual(), most);
    EXPECT_GE(session->threads_actual(), exact ? most : 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, CpuMethod,
                         testing::Range(0, static_cast<int>(of_operation(implementations(), "gemm").size())),
                         [](const auto& row) {
                           std::string name =
                               of_operation(implementations(), "gemm")[row.param]->description().id;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(DoubleProduct, equals_the_plain_loop_on_integers) {
  const DoubleProduct product = double_product();
  for (const Shape& s : kShapes) {
    const auto a = integers(s.a_count(), 3);
    const auto b = integers(s.b_count(), 4);
    const std::vector<double> wide_a(a.begin(), a.end());
    const std::vector<double> wide_b(b.begin(), b.end());
    std::vector<double> c(static_cast<std::size_t>(s.c_count()), std::nan(""));
    product(wide_a.data(), wide_b.data(), c.data(), s.m, s.n, s.k);
    const auto reference = expected(s, a, b);
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_EQ(c[i], reference[i]) << s.m << " " << s.n << " " << s.k;
  }
}

}  // namespace
}  // namespace gemmlab::cpu
