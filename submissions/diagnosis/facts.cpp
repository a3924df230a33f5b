#include "submissions/diagnosis/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace gemmlab::submissions {
namespace {

void require_size(const char* name, const std::vector<float>& matrix, std::int64_t count, bool may_be_empty) {
  if (may_be_empty && matrix.empty()) return;
  if (static_cast<std::int64_t>(matrix.size()) == count) return;
  throw std::invalid_argument(
      fmt::format("diagnosis: {} has {} elements, its shape has {}", name, matrix.size(), count));
}

const Evidence& checked(const Evidence& evidence) {
  const Shape& shape = evidence.shape;
  require_size("a", evidence.a, shape.a_count(), false);
  require_size("b", evidence.b, shape.b_count(), false);
  require_size("c", evidence.c, shape.c_count(), false);
  require_size("c_again", evidence.c_again, shape.c_count(), true);
  require_size("c_over_zeros", evidence.c_over_zeros, shape.c_count(), true);
  require_size("previous_right", evidence.previous_right, shape.c_count(), true);
  return evidence;
}

bool is_right(const std::vector<float>& c, const std::vector<double>& right) {
  return std::equal(c.begin(), c.end(), right.begin(), right.end(),
                    [](float is, double should) { return static_cast<double>(is) == should; });
}

/// The wrong one of the two calls.
const std::vector<float>& wrong_call(const Evidence& evidence, const std::vector<double>& right) {
  if (!is_right(evidence.c, right)) return evidence.c;
  if (!evidence.c_again.empty() && !is_right(evidence.c_again, right)) return evidence.c_again;
  throw std::invalid_argument("diagnosis: C is right, there is nothing to explain");
}

}  // namespace

bool has_bits(float value, std::uint32_t bits) {
  return std::bit_cast<std::uint32_t>(value) == bits;
}

std::vector<double> product(const Evidence& evidence) {
  const Shape& s = evidence.shape;
  std::vector<double> c(static_cast<std::size_t>(s.c_count()), 0.0);
  for (std::int64_t row = 0; row < s.m; ++row) {
    double* out = c.data() + row * s.n;
    for (std::int64_t inner = 0; inner < s.k; ++inner) {
      const double a = evidence.a[row * s.k + inner];
      const float* b = evidence.b.data() + inner * s.n;
      for (std::int64_t col = 0; col < s.n; ++col) out[col] += a * b[col];
    }
  }
  return c;
}

Facts::Facts(const Evidence& given)
    : evidence(checked(given)),
      M(given.shape.m),
      N(given.shape.k),
      K(given.shape.n),
      count(M * K),
      right(product(given)),
      c(wrong_call(given, right)),
      wrong(static_cast<std::size_t>(count)) {
  for (std::int64_t e = 0; e < count; ++e) {
    wrong[e] = !(static_cast<double>(c[e]) == right[e]);
    if (wrong[e]) wrongs.push_back(e);
  }
  // A stride that shares no factor with the size visits every element once, far apart.
  std::int64_t stride = static_cast<std::int64_t>(0.618 * static_cast<double>(count)) | 1;
  while (std::gcd(stride, count) != 1) stride += 2;
  const std::int64_t affordable = std::clamp<std::int64_t>((1 << 24) / N, 64, count < 64 ? 64 : count);
  const auto some = std::min<std::size_t>(wrongs.size(), 8);
  for (std::size_t i = 0; i < some; ++i) probes.push_back(wrongs[i * wrongs.size() / some]);
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(count));
  for (const std::int64_t e : probes) taken[e] = 1;
  std::int64_t e = 0;
  for (std::int64_t i = 0; i < std::min(count, affordable); ++i, e = (e + stride) % count) {
    if (!taken[e]) probes.push_back(e);
  }
}

double Facts::sum(std::int64_t element, std::int64_t from, std::int64_t to, std::int64_t step) const {
  const std::int64_t row = element / K;
  const std::int64_t col = element % K;
  double sum = 0;
  for (std::int64_t inner = from; inner < to; inner += step) {
    sum += static_cast<double>(a(row, inner)) * static_cast<double>(b(inner, col));
  }
  return sum;
}

std::int64_t agreement(const Finding& finding, const std::vector<ShapeOutcome>& outcomes) {
  if (!finding.right_at) return 0;
  return std::count_if(outcomes.begin(), outcomes.end(), [&](const ShapeOutcome& outcome) {
    return finding.right_at(outcome.shape) == outcome.right;
  });
}

}  // namespace gemmlab::submissions
