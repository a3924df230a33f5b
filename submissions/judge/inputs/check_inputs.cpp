#include "submissions/judge/inputs/check_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "operations/gemm/verify_parts.h"

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

GemmForm form_of(const Inputs& inputs) {
  GemmForm form = gemmlab::form_of(inputs.shape);
  form.alpha = inputs.factors.alpha;
  form.beta = inputs.factors.beta;
  return form;
}

Distribution distribution_of(const Inputs& inputs) {
  return inputs.whole() ? Distribution::kInteger : Distribution::kUniform;
}

/// Below it all whole numbers are held by 16 bits, in which sums may be kept; infinite of other types.
double whole_numbers(const Inputs& inputs) {
  const GemmTypes& types = inputs.types;
  if (types.plain() || is_integer(types.type)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(std::min(largest_whole(types.type), largest_whole(types.result)));
}

/// The largest sum of ones, alpha and beta included.
double terms_of(const Inputs& inputs) {
  return static_cast<double>(inputs.shape.k) * std::abs(inputs.factors.alpha) + std::abs(inputs.factors.beta);
}

/// The largest whole number in A and B. In 16 bits it is so small that sums kept in them are exact, too: they are less precise, and not
/// wrong.
std::int32_t limit_of(const Inputs& inputs) {
  auto limit =
      integer_limit(inputs.types, distribution_of(inputs), integer_limit(inputs.shape, form_of(inputs)));
  while (inputs.whole() && limit > 1 && terms_of(inputs) * limit * limit > whole_numbers(inputs)) --limit;
  return limit;
}

/// Of matrices as they are: whole numbers, whose sums are exact in double and in float. So many ones that 16 bits do not hold their sum
/// may come out less precise.
Check check_exactly(const Inputs& inputs, const float* c, const DoubleProduct& product) {
  const std::vector<double> expected = right_answer(inputs, product);
  const GemmTypes& types = inputs.types;
  const double terms = terms_of(inputs), unit = kUnitRoundoff * terms;
  const double allowed = terms > whole_numbers(inputs) ? kEtaReduced * unit : 0;
  Worst worst;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double held =
        types.narrow_result() ? rounded(types.result, static_cast<float>(expected[i])) : expected[i];
    const double error = std::abs(c[i] - held);
    worst.meet(nan_is_infinite(allowed > 0 ? error / unit : error), static_cast<std::int64_t>(i),
               c[i] == held, error <= allowed);
  }
  return check_of(worst, {}, "exact", inputs.shape.n);
}

}  // namespace

std::vector<float> made(const Inputs& inputs, Operand operand) {
  const Shape& shape = inputs.shape;
  const std::int64_t count = operand == Operand::kA   ? shape.a_count()
                             : operand == Operand::kB ? shape.b_count()
                                                      : shape.c_count();
  std::vector<float> values(static_cast<std::size_t>(count));
  const ElementType type = operand == Operand::kC ? inputs.types.result : inputs.types.type;
  constexpr std::int64_t kPiece = 1 << 16;
  const std::int32_t limit = limit_of(inputs);
#pragma omp parallel for schedule(static) if (count > kPiece)
  for (std::int64_t first = 0; first < count; first += kPiece)
    draw(values.data() + first, first, std::min(kPiece, count - first), type, distribution_of(inputs),
         inputs.seed, operand, limit);
  if (is_integer(type))
    for (float& value : values) value += 0.0F;  // no -0, of which the type knows nothing
  if (operand == Operand::kC) return values;
  if (inputs.kind == Kind::kWide) widen(inputs, operand, values.data());
  if (inputs.kind == Kind::kOneLarge && operand == Operand::kA) values[0] = kLargeElement;
  if (inputs.kind == Kind::kLargeA && operand == Operand::kA)
    for (float& value : values) value *= kLargeA;
  if (inputs.kind != Kind::kZeros) return values;
  const std::uint64_t mask = hashed(inputs.seed, kMask, static_cast<std::int64_t>(operand));
  for (std::int64_t i = 0; i < count; ++i)
    if (hashed(mask, kMask, i) % kZeroOneIn == 0) values[static_cast<std::size_t>(i)] = 0;
  return values;
}

std::vector<double> right_answer(const Inputs& inputs, const DoubleProduct& product) {
  const std::vector<float> a = made(inputs, Operand::kA), b = made(inputs, Operand::kB);
  const std::vector<double> left(a.begin(), a.end()), right(b.begin(), b.end());
  const auto [m, n, k] = inputs.shape;
  std::vector<double> answer(static_cast<std::size_t>(m * n));
  product(left.data(), right.data(), answer.data(), m, n, k);
  const auto [alpha, beta] = inputs.factors;
  if (inputs.factors.plain()) return answer;
  const std::vector<float> c = beta == 0 ? std::vector<float>() : made(inputs, Operand::kC);
  for (std::size_t i = 0; i < answer.size(); ++i)
    answer[i] = double{alpha} * answer[i] + (beta == 0 ? 0 : double{beta} * c[i]);
  return answer;
}

std::int64_t first_change(const Inputs& inputs, Operand operand, const std::vector<float>& values) {
  const std::vector<float> given = made(inputs, operand);
  if (std::memcmp(given.data(), values.data(), given.size() * sizeof(float)) == 0) return -1;
  std::size_t i = 0;
  while (std::memcmp(&given[i], &values[i], sizeof(float)) == 0) ++i;
  return static_cast<std::int64_t>(i);
}

Check check_answer(const Inputs& inputs, const float* c, const DoubleProduct& product) {
  const bool of_int8 = inputs.types.type == ElementType::kInt8;
  if (inputs.kind == Kind::kZeros || of_int8 || (inputs.whole() && !inputs.types.plain()))
    return check_exactly(inputs, c, product);
  const Reference reference(inputs.shape, form_of(inputs), distribution_of(inputs), inputs.seed, product,
                            false, inputs.types);
  Check check = inputs.kind == Kind::kWide ? reference.check(narrowed(inputs, c).data(), 0).front()
                                           : reference.check(c, 0).front();
  // sums kept in bfloat16 lose eight times what those in half do, for which the bound was made
  const double coarser = unit_roundoff(inputs.types.type) / unit_roundoff(ElementType::kFloat16);
  if (check.verdict == Verdict::kIncorrect && coarser > 1 && check.eta_max <= coarser * kEtaReduced)
    check.verdict = Verdict::kReducedPrecision;
  return check;
}

}  // namespace gemmlab::submissions
