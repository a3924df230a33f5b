#pragma once

// What one element, or one projected row, says about an output. Used by the files that hold references.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/element_type.h"
#include "core/inputs/inputs.h"
#include "core/verification/verify.h"

namespace gemmlab {

/// The largest eta met so far and where, together with the two bounds. Partial results merge in any order to
/// the same.
struct Worst {
  double eta = -1;             ///< -1: nothing met yet
  std::int64_t index = -1;     ///< the first place that reached `eta`
  bool within_bound = true;    ///< all met so far
  bool within_reduced = true;  ///< all met so far

  void meet(double element_eta, std::int64_t at, bool bound_held, bool reduced_held) {
    within_bound = within_bound && bound_held;
    within_reduced = within_reduced && reduced_held;
    if (element_eta > eta || (element_eta == eta && at < index)) {
      eta = element_eta;
      index = at;
    }
  }
  void merge(const Worst& other) {
    if (other.index >= 0) meet(other.eta, other.index, other.within_bound, other.within_reduced);
  }
};

/// The bounds that a distribution's elements are held to.
struct Bounds {
  double eta = kEtaBound;
  double eta_reduced = kEtaReduced;
  double slack = 0;       ///< k·2⁻¹⁴⁹: what products below the normal range may lose
  bool certifies = true;  ///< false: within the bounds is uncertified, outside is incorrect
  /// Of outputs that hold less than float32: what rounding to them changes, relative and at least, and beyond
  /// what they are infinite.
  double unit_result = 0;
  double least_result = 0;
  double largest_result = std::numeric_limits<double>::infinity();

  static Bounds of(Distribution distribution, std::int64_t k, ElementType result = ElementType::kFloat32) {
    Bounds bounds;
    bounds.slack = std::ldexp(static_cast<double>(k), -149);
    if (result != ElementType::kFloat32 && !is_integer(result)) {
      bounds.unit_result = unit_roundoff(result);
      bounds.least_result = least_roundoff(result);
      bounds.largest_result = largest_value(result);
    }
    if (!gemmlab::certifies(distribution)) {
      bounds.certifies = false;
      bounds.eta = bounds.eta_reduced = std::max(static_cast<double>(k), kEtaBound);
    }
    return bounds;
  }

  /// What rounding to the result's type may change of a value near r.
  double rounding(double r) const { return unit_result * std::abs(r) + least_result; }
  /// Is c what the result's type makes of a value near r that it does not hold?
  bool overflown(double c, double r) const {
    return std::isinf(c) && std::signbit(c) == std::signbit(r) &&
           std::abs(r) * (1 + unit_result) >= largest_result;
  }

  Verdict verdict(const Worst& worst) const {
    if (!worst.within_reduced) return Verdict::kIncorrect;
    if (!certifies) return Verdict::kUncertified;
    return worst.within_bound ? Verdict::kOk : Verdict::kReducedPrecision;
  }
};

/// NaN is the worst that there is.
inline double nan_is_infinite(double eta) {
  return std::isnan(eta) ? std::numeric_limits<double>::infinity() : eta;
}

/// Meets one element: c as computed, r the reference, s = (|A||B|) there; `rounding`: what c may differ by
/// besides, since its type is narrower than the sums.
inline void meet_element(Worst& worst, const Bounds& bounds, double c, double r, double s, std::int64_t at,
                         double rounding) {
  if (!std::isfinite(r)) {
    const bool same = std::isnan(c) || c == r;
    worst.meet(same ? 0 : std::numeric_limits<double>::infinity(), at, same, same);
    return;
  }
  // A NaN stays one: std::max gives its first argument where the comparison fails.
  const double error = bounds.overflown(c, r) ? 0 : std::max(std::abs(c - r) - rounding, 0.0);
  const double unit = kUnitRoundoff * s;
  const double eta = unit > 0 || !(error <= bounds.slack) ? nan_is_infinite(error / unit) : 0;
  // Compared this way round, so that a NaN is outside.
  worst.meet(eta, at, error <= bounds.eta * unit + bounds.slack,
             error <= bounds.eta_reduced * unit + bounds.slack);
}

inline void meet_element(Worst& worst, const Bounds& bounds, double c, double r, double s, std::int64_t at) {
  meet_element(worst, bounds, c, r, s, at, bounds.rounding(r));
}

/// Meets one element that has to equal the reference; eta is |c - r|.
inline void meet_exact(Worst& worst, double c, double r, std::int64_t at) {
  const bool equal = c == r;
  worst.meet(equal ? 0 : nan_is_infinite(std::abs(c - r)), at, equal, equal);
}

}  // namespace gemmlab
