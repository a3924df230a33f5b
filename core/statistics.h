#pragma once

// Medians, their confidence intervals, and the order of rounds: the one place that forms them.

#include <cstdint>
#include <optional>
#include <vector>

namespace gemmlab {

struct Interval {
  double low = 0;
  double high = 0;
};

/// The median (mean of the middle two for an even count). Requires at least one sample.
double median(std::vector<double> samples);

/// Confidence interval of the median by order statistics (binomial, no assumption about the distribution), at
/// `confidence`. Empty below 6 samples, where no interval of 95 % exists, or where `confidence` cannot be
/// reached.
std::optional<Interval> median_interval(std::vector<double> samples, double confidence = 0.95);

/// (high - low) / (2·median): the relative half-width that a measurement stops on. Infinite without an
/// interval.
double relative_half_width(const std::vector<double>& samples, double confidence = 0.95);

/// Deterministic 64-bit generator for shuffles (the same sequence everywhere, unlike std::shuffle).
class Shuffler {
 public:
  explicit Shuffler(std::uint64_t seed) : state_(seed) {}
  std::vector<int> order(int count);  ///< a permutation of 0..count-1

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

}  // namespace gemmlab
