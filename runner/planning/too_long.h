#pragma once

// Points that would take minutes are not begun: the times of smaller ones of the same line predict theirs.

#include <map>
#include <string>
#include <vector>

#include "core/timing/measure.h"
#include "runner/recording/store.h"

namespace gemmlab::runner {

/// A call that is foretold to take longer than so many times the limit is left out; nearer to the
/// limit, it is tried.
inline constexpr double kSurelyTooLong = 1.5;

/// "one call would take about 3 min 20 s (from 1.9 s at 1449); allowed: 4 s"; `from` may be empty.
std::string too_long_text(double call_s, const std::string& from, const MeasureSettings& settings);

class TooLong {
 public:
  /// Reads what the store has learnt since the last call: only what the machine with this fingerprint
  /// measured counts.
  void learn(const Store& store, const std::string& fingerprint);
  /// Why the point is not to be begun; empty where it is. Goes by the largest instance of the same line
  /// (implementation, parameters, options, scope, cache) that is smaller in all dimensions: for as many
  /// operations as it does in a second, the time of a larger one is hardly ever shorter. Calls too short to
  /// keep a device busy tell nothing.
  std::string why(const Point& point, const MeasureSettings& settings) const;

 private:
  struct Known {
    Instance instance;
    double median_s;
  };
  std::map<std::string, std::vector<Known>> lines_;
  std::map<const Store*, std::size_t> learnt_;  ///< how much of each store
};

}  // namespace gemmlab::runner
