#include "submissions/judge/inputs/check_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/verification/verify_element.h"

namespace gemmlab::submissions {
namespace {

constexpr std::uint32_t kMask = 71;       ///< streams of hashed(), beside those of the operands
constexpr std::uint32_t kExponents = 72;  ///< and the two that follow
constexpr int kZeroOneIn = 3;
constexpr int kWidest = 20;  ///< of each of three exponents

/// Of row i of A (which = 0), of column i of B (1), or of the inner index i (2).
int exponent(const Inputs& inputs, std::uint32_t which, std::int64_t i) {
  return static_cast<int>(hashed(inputs.seed, kExponents + which, i) % (2 * kWidest + 1)) - kWidest;
}

std::vector<int> exponents(const Inputs& inputs, std::uint32_t which, std::int64_t count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = exponent(inputs, which, static_cast<std::int64_t>(i));
  return all;
}

/// Times 2^(of its row + of its column): exact, and without effect on A·B along the inner dimension, whose exponents stand
/// in A with one sign and in B with the other.
void widen(const Inputs& inputs, Operand operand, float* values) {
  const Shape& shape = inputs.shape;
  const bool of_a = operand == Operand::kA;
  const std::vector<int> outer = exponents(inputs, of_a ? 0 : 1, of_a ? shape.m : shape.n);
  const std::vector<int> inner = exponents(inputs, 2, shape.k);
  const std::size_t rows = of_a ? outer.size() : inner.size();
  const std::size_t cols = of_a ? inner.size() : outer.size();
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col) {
      float& value = values[row * cols + col];
      value = std::ldexp(value, of_a ? outer[row] + inner[col] : outer[col] - inner[row]);
    }
}

/// C as it would be of the same fractions without their powers of two.
std::vector<float> narrowed(const Inputs& inputs, const float* c) {
  const std::vector<int> of_row = exponents(inputs, 0, inputs.shape.m);
  const std::vector<int> of_col = exponents(inputs, 1, inputs.shape.n);
  std::vector<float> result(c, c + inputs.shape.c_count());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = std::ldexp(result[i], -(of_row[i / of_col.size()] + of_col[i % of_col.size()]));
  return result;
}

/// Of matrices as they are: whole numbers, whose product is exact in double and in float.
Check check_exactly(const Inputs& inputs, const float* c, const DoubleProduct& product) {
  const std::vector<float> a = made(inputs, Operand::kA), b = made(inputs, Operand::kB);
  const std::vector<double> left(a.begin(), a.end()), right(b.begin(), b.end());
  const auto [m, n, k] = inputs.shape;
  std::vector<double> expected(static_cast<std::size_t>(m * n));
  product(left.data(), right.data(), expected.data(), m, n, k);
  Worst worst;
  for (std::size_t i = 0; i < expected.size(); ++i)
    meet_exact(worst, c[i], expected[i], static_cast<std::int64_t>(i));
  Check check;
  check.method = "exact";
  check.eta_max = worst.eta;
  check.worst_row = worst.index / n;
  check.worst_col = worst.index % n;
  check.verdict = worst.within_bound ? Verdict::kOk : Verdict::kIncorrect;
  return check;
}

}  // namespace

void make(const Inputs& inputs, Operand operand, float* values) {
  const Shape& shape = inputs.shape;
  const std::int64_t rows = operand == Operand::kA ? shape.m : shape.k;
  const std::int64_t cols = operand == Operand::kA ? shape.k : shape.n;
  fill(values, rows, cols, inputs.whole() ? Distribution::kInteger : Distribution::kUniform, inputs.seed,
       operand, 0, integer_limit(shape.k));
  if (inputs.kind == Kind::kWide) widen(inputs, operand, values);
  if (inputs.kind == Kind::kOneLarge && operand == Operand::kA) values[0] = kLargeElement;
  if (inputs.kind == Kind::kLargeA && operand == Operand::kA)
    std::for_each(values, values + rows * cols, [](float& value) { value *= kLargeA; });
  if (inputs.kind != Kind::kZeros) return;
  const std::uint64_t mask = hashed(inputs.seed, kMask, static_cast<std::int64_t>(operand));
  for (std::int64_t i = 0; i < rows * cols; ++i)
    if (hashed(mask, kMask, i) % kZeroOneIn == 0) values[i] = 0;
}

std::vector<float> made(const Inputs& inputs, Operand operand) {
  const Shape& shape = inputs.shape;
  std::vector<float> values(
      static_cast<std::size_t>(operand == Operand::kA ? shape.a_count() : shape.b_count()));
  make(inputs, operand, values.data());
  return values;
}

std::int64_t first_change(const Inputs& inputs, Operand operand, const float* values) {
  const std::vector<float> given = made(inputs, operand);
  if (std::memcmp(given.data(), values, given.size() * sizeof(float)) == 0) return -1;
  std::size_t i = 0;
  while (std::memcmp(&given[i], values + i, sizeof(float)) == 0) ++i;
  return static_cast<std::int64_t>(i);
}

Check check_answer(const Inputs& inputs, const float* c, const DoubleProduct& product) {
  if (inputs.kind == Kind::kZeros) return check_exactly(inputs, c, product);
  const Distribution distribution = inputs.whole() ? Distribution::kInteger : Distribution::kUniform;
  const Reference reference(inputs.shape, distribution, inputs.seed, product);
  if (inputs.kind != Kind::kWide) return reference.check(c, 0).front();
  return reference.check(narrowed(inputs, c).data(), 0).front();
}

}  // namespace gemmlab::submissions
