#include "submissions/solve_form.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "submissions/diagnosis/diagnosis.h"
#include "submissions/judge/inputs/check_inputs.h"
#include "submissions/matrices.h"

namespace gemmlab::submissions {
namespace {

constexpr GemmTypes kHalf{ElementType::kFloat16, ElementType::kFloat16};
constexpr GemmTypes kInt8{ElementType::kInt8, ElementType::kInt32};

TEST(SolveForm, names_types_as_each_device_has_them) {
  EXPECT_EQ(signature({}, true),
            "extern \"C\" void solve(const float* A, const float* B, float* C, int M, int N, int K)");
  EXPECT_EQ(signature({kHalf, true, true}, true),
            "extern \"C\" void solve(const half* A, const half* B, half* C, int M, int N, int K, float "
            "alpha, float "
            "beta)");
  EXPECT_EQ(signature({kInt8, false, false}, false),
            "extern \"C\" void solve(const std::int8_t* A, const std::int8_t* B, std::int32_t* C, int M, int "
            "N, int "
            "K)");
}

TEST(SolveForm, texts_take_the_order_of_the_rule) {
  const std::string text =
      "At M = 3, N = 5, K = 7 rows of A have N elements{N:, BLAS' K}{K:, as in BLAS}; M, N and K "
      "differ, NaN and kN stay: B[i*K + col].";
  EXPECT_EQ(in_order(text, false),
            "At M = 3, N = 5, K = 7 rows of A have N elements, BLAS' K; M, N and K differ, NaN and kN stay: "
            "B[i*K + col].");
  EXPECT_EQ(
      in_order(text, true),
      "At M = 3, N = 7, K = 5 rows of A have K elements, as in BLAS; M, N and K differ, NaN and kN stay: "
      "B[i*N + col].");
}

TEST(TypedRoom, holds_elements_as_wide_as_they_are_and_tells_what_was_never_set) {
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kFloat16, ElementType::kBfloat16, ElementType::kInt32}) {
    Room room(100, type);
    const std::int64_t offset = room.offset_of(5, Placement::kAtEnd);
    room.fill(offset, 5, std::bit_cast<float>(kPoisonC));
    for (const float value : room.get(offset, 5)) EXPECT_EQ(std::bit_cast<std::uint32_t>(value), kPoisonC);
    room.put(offset, {1, -2, 3, -4, 5});
    EXPECT_EQ(room.get(offset, 5), (std::vector<float>{1, -2, 3, -4, 5}));
    EXPECT_EQ(room.bytes() - offset, 64);
  }
}

TEST(TypedRoom, sees_a_single_byte_that_was_written_beside_a_matrix) {
  for (const ElementType type : {ElementType::kInt8, ElementType::kFloat16}) {
    Room room(3 * 4096, type);
    const std::int64_t each = room.element_bytes(), offset = 4096;
    room.band(offset, 7);
    std::int64_t distance = -1;
    EXPECT_EQ(room.touched(offset, 7, distance), Side::kNone);
    room.put(offset + 7 * each, {3});
    EXPECT_EQ(room.touched(offset, 7, distance), Side::kBehind);
    EXPECT_EQ(distance, 0);
    room.band(offset, 7);
    room.put(offset - each, {3});
    EXPECT_EQ(room.touched(offset, 7, distance), Side::kBefore);
    EXPECT_LE(distance, each);
  }
}

/// C of these inputs by sums in float, or in the type itself; stored in the result's type.
std::vector<float> computed(const Inputs& inputs, ElementType sums) {
  const Shape& shape = inputs.shape;
  const std::vector<float> a = made(inputs, Operand::kA), b = made(inputs, Operand::kB),
                           before = made(inputs, Operand::kC);
  std::vector<float> c(static_cast<std::size_t>(shape.c_count()));
  for (std::int64_t row = 0; row < shape.m; ++row)
    for (std::int64_t col = 0; col < shape.n; ++col) {
      float sum = 0;
      for (std::int64_t k = 0; k < shape.k; ++k)
        sum = rounded(sums, sum + a[static_cast<std::size_t>(row * shape.k + k)] *
                                      b[static_cast<std::size_t>(k * shape.n + col)]);
      const auto at = static_cast<std::size_t>(row * shape.n + col);
      c[at] =
          rounded(inputs.types.result, inputs.factors.alpha * sum +
                                           (inputs.factors.beta == 0 ? 0 : inputs.factors.beta * before[at]));
    }
  return c;
}

TEST(TypedInputs, are_values_of_the_type) {
  for (const Kind kind : {Kind::kWhole, Kind::kZeros, Kind::kFractions})
    for (const GemmTypes& types : {kHalf, kInt8})
      for (const float value : made({{20, 30, 40}, kind, 3, types}, Operand::kA))
        EXPECT_EQ(rounded(types.type, value), value);
}

TEST(TypedInputs, sums_in_half_are_exact_for_whole_numbers_and_less_precise_for_fractions) {
  const auto verdict = [](Kind kind, ElementType sums, Factors factors) {
    const Inputs inputs{{17, 19, 300}, kind, 7, kHalf, factors};
    return check_answer(inputs, computed(inputs, sums).data(), plain_double_product).verdict;
  };
  for (const Factors& factors : {Factors{}, Factors{2, -3}}) {
    EXPECT_EQ(verdict(Kind::kWhole, ElementType::kFloat32, factors), Verdict::kOk);
    EXPECT_EQ(verdict(Kind::kWhole, ElementType::kFloat16, factors), Verdict::kOk);
    EXPECT_EQ(verdict(Kind::kZeros, ElementType::kFloat16, factors), Verdict::kOk);
    EXPECT_EQ(verdict(Kind::kFractions, ElementType::kFloat32, factors), Verdict::kOk);
    EXPECT_EQ(verdict(Kind::kFractions, ElementType::kFloat16, factors), Verdict::kReducedPrecision);
  }
}

TEST(TypedInputs, more_ones_than_16_bits_hold_may_lose_digits_but_are_not_lost) {
  const GemmTypes types{ElementType::kBfloat16, ElementType::kBfloat16};
  const Inputs inputs{{3, 2, 40'000}, Kind::kWhole, 11, types};
  std::vector<float> c = computed(inputs, ElementType::kFloat32);
  EXPECT_EQ(check_answer(inputs, c.data(), plain_double_product).verdict, Verdict::kOk);
  c[3] += 64;
  EXPECT_EQ(check_answer(inputs, c.data(), plain_double_product).verdict, Verdict::kReducedPrecision);
  c[3] = std::nanf("");
  EXPECT_EQ(check_answer(inputs, c.data(), plain_double_product).verdict, Verdict::kIncorrect);
}

TEST(TypedInputs, one_wrong_element_of_int8_shows_over_the_whole_range) {
  const Inputs inputs{{17, 19, 300}, Kind::kFractions, 7, kInt8};
  std::vector<float> c = computed(inputs, ElementType::kFloat32);
  EXPECT_EQ(check_answer(inputs, c.data(), plain_double_product).verdict, Verdict::kOk);
  c[100] += 1;
  EXPECT_EQ(check_answer(inputs, c.data(), plain_double_product).verdict, Verdict::kIncorrect);
}

}  // namespace
}  // namespace gemmlab::submissions
