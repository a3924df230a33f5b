#pragma once

// Right and wrong products to put before the verifier.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "core/inputs/inputs.h"
#include "operations/gemm/reference.h"
#include "operations/gemm/shape.h"

namespace gemmlab {

inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.m << "x" << shape.n << "x" << shape.k;
}

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Inputs {
  Shape shape;
  Distribution distribution;
  std::uint64_t seed;
  std::int32_t limit;
  std::vector<float> a;
  std::vector<float> b;

  Inputs(const Shape& of, Distribution distributed, std::uint64_t from_seed, std::int64_t rotate = 0)
      : shape(of),
        distribution(distributed),
        seed(from_seed),
        limit(integer_limit(of.k)),
        a(static_cast<std::size_t>(of.a_count())),
        b(static_cast<std::size_t>(of.b_count())) {
    fill(a.data(), shape.m, shape.k, distribution, seed, Operand::kA, rotate, limit);
    fill(b.data(), shape.k, shape.n, distribution, seed, Operand::kB, 0, limit);
  }
  Check unchanged(std::int64_t rotate = 0) const {
    return check_inputs_unchanged(a.data(), b.data(), shape, distribution, seed, rotate, limit);
  }
};

enum class Order { kForward, kReverse, kPairwise, kBlocked, kSplit, kFused };
inline const std::vector<Order> kOrders{Order::kForward, Order::kReverse, Order::kPairwise,
                                        Order::kBlocked, Order::kSplit,   Order::kFused};

inline float pairwise(const float* terms, std::int64_t count) {
  if (count == 1) return terms[0];
  const std::int64_t half = count / 2;
  return pairwise(terms, half) + pairwise(terms + half, count - half);
}

/// The sum of one element's products in float, in the order asked for.
inline float sum(Order order, const std::vector<float>& a, const std::vector<float>& b) {
  const std::size_t k = a.size();
  float total = 0;
  switch (order) {
    case Order::kForward:
      for (std::size_t p = 0; p < k; ++p) total += a[p] * b[p];
      return total;
    case Order::kReverse:
      for (std::size_t p = k; p > 0; --p) total += a[p - 1] * b[p - 1];
      return total;
    case Order::kFused:
      for (std::size_t p = 0; p < k; ++p) total = std::fma(a[p], b[p], total);
      return total;
    case Order::kPairwise: {
      std::vector<float> terms(k);
      for (std::size_t p = 0; p < k; ++p) terms[p] = a[p] * b[p];
      return pairwise(terms.data(), static_cast<std::int64_t>(k));
    }
    case Order::kBlocked:
      for (std::size_t block = 0; block < k; block += 32) {
        float partial = 0;
        for (std::size_t p = block; p < k && p < block + 32; ++p) partial += a[p] * b[p];
        total += partial;
      }
      return total;
    case Order::kSplit: {
      float lanes[8] = {};
      for (std::size_t p = 0; p < k; ++p) lanes[p % 8] += a[p] * b[p];
      for (const float lane : lanes) total += lane;
      return total;
    }
  }
  return kNaN;
}

/// C = A·B with the sums in the order asked for.
inline std::vector<float> product(const Inputs& inputs, Order order = Order::kForward) {
  const auto m = static_cast<std::size_t>(inputs.shape.m);
  const auto n = static_cast<std::size_t>(inputs.shape.n);
  const auto k = static_cast<std::size_t>(inputs.shape.k);
  std::vector<float> c(m * n);
  std::vector<float> b_col(k);
  for (std::size_t col = 0; col < n; ++col) {
    for (std::size_t p = 0; p < k; ++p) b_col[p] = inputs.b[p * n + col];
    for (std::size_t row = 0; row < m; ++row) {
      const auto begin = inputs.a.begin() + static_cast<std::ptrdiff_t>(row * k);
      c[row * n + col] = sum(order, {begin, begin + static_cast<std::ptrdiff_t>(k)}, b_col);
    }
  }
  return c;
}

inline Reference reference(const Inputs& inputs, bool projected) {
  return Reference(inputs.shape, inputs.distribution, inputs.seed, plain_double_product, projected);
}

/// `value` with `bits` significant bits and no step finer than 2^lowest, rounded to even as conversions do.
inline float rounded(float value, int bits, int lowest) {
  if (value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int step = std::max(exponent - bits, lowest);
  return std::ldexp(std::nearbyint(std::ldexp(value, -step)), step);
}

}  // namespace gemmlab
