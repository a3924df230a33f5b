#pragma once

// What one element, or one projected row, says about an output. Used by the files that hold references.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

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

  static Bounds of(Distribution distribution, std::int64_t k) {
    Bounds bounds;
    bounds.slack = std::ldexp(static_cast<double>(k), -149);
    if (!gemmlab::certifies(distribution)) {
      bounds.certifies = false;
      bounds.eta = bounds.eta_reduced = std::max(static_cast<double>(k), kEtaBound);
    }
    return bounds;
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

/// Meets one element: c as computed, r the reference, s = (|A||B|) there.
inline void meet_element(Worst& worst, const Bounds& bounds, double c, double r, double s, std::int64_t at) {
  if (!std::isfinite(r)) {
    const bool same = std::isnan(c) || c == r;
    worst.meet(same ? 0 : std::numeric_limits<double>::infinity(), at, same, same);
    return;
  }
  const double error = std::abs(c - r);
  const double unit = kUnitRoundoff * s;
  const double eta = unit > 0 || !(error <= bounds.slack) ? nan_is_infinite(error / unit) : 0;
  // Compared this way round, so that a NaN is outside.
  worst.meet(eta, at, error <= bounds.eta * unit + bounds.slack,
             error <= bounds.eta_reduced * unit + bounds.slack);
}

/// Meets one element that has to equal the reference; eta is |c - r|.
inline void meet_exact(Worst& worst, double c, double r, std::int64_t at) {
  const bool equal = c == r;
  worst.meet(equal ? 0 : nan_is_infinite(std::abs(c - r)), at, equal, equal);
}

}  // namespace gemmlab
