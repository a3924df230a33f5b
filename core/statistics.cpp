#include "core/statistics.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace gemmlab {

namespace {

constexpr std::size_t kFewestForInterval = 6;

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// The largest rank r (from 1) for which the median lies in [x_(r), x_(n+1-r)] with the confidence asked for;
/// 0 where even the whole range does not reach it. The probability of missing is 2·P(Binomial(n, 1/2) < r).
/// The weights are taken relative to the middle one, so that neither 2ⁿ nor a factorial is formed, and n may
/// be anything.
std::size_t symmetric_rank(std::size_t n, double confidence) {
  const std::size_t middle = n / 2;
  std::vector<double> weights(middle + 1);
  weights[middle] = 1;
  for (std::size_t k = middle; k > 0; --k) {
    weights[k - 1] = weights[k] * static_cast<double>(k) / static_cast<double>(n - k + 1);
  }
  const double lower_half = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double total = n % 2 == 0 ? 2 * lower_half - weights[middle] : 2 * lower_half;
  const double allowed = (1 - confidence) * total * (1 + 1e-12);  // 1 - 0.95 is not 0.05
  double missed = 0;
  std::size_t rank = 0;
  while (rank < middle) {
    missed += 2 * weights[rank];
    if (!(missed <= allowed)) break;
    ++rank;
  }
  return rank;
}

std::optional<Interval> interval_of_sorted(const std::vector<double>& sorted, double confidence) {
  if (sorted.size() < kFewestForInterval) return std::nullopt;
  const std::size_t rank = symmetric_rank(sorted.size(), confidence);
  if (rank == 0) return std::nullopt;
  return Interval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

}  // namespace

double median(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("the median of no samples was asked for");
  std::sort(samples.begin(), samples.end());
  return median_of_sorted(samples);
}

std::optional<Interval> median_interval(std::vector<double> samples, double confidence) {
  std::sort(samples.begin(), samples.end());
  return interval_of_sorted(samples, confidence);
}

double relative_half_width(const std::vector<double>& samples, double confidence) {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const std::optional<Interval> interval = interval_of_sorted(sorted, confidence);
  const double middle = interval ? median_of_sorted(sorted) : 0;
  if (!(middle > 0)) return std::numeric_limits<double>::infinity();
  return (interval->high - interval->low) / (2 * middle);
}

/// SplitMix64.
std::uint64_t Shuffler::next() {
  state_ += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::vector<int> Shuffler::order(int count) {
  std::vector<int> places(static_cast<std::size_t>(std::max(count, 0)));
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t i = places.size(); i > 1; --i) {
    // Draws from the incomplete last stretch of 2⁶⁴ are repeated: each place is equally likely.
    const std::uint64_t bound = i;
    const std::uint64_t usable = std::numeric_limits<std::uint64_t>::max() / bound * bound;
    std::uint64_t draw = next();
    while (draw >= usable) draw = next();
    std::swap(places[i - 1], places[draw % bound]);
  }
  return places;
}

}  // namespace gemmlab
