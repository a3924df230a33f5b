#include "experiments/runner/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/input_sets.h"
#include "core/machine.h"

namespace gemmlab::runner {
namespace {

// Guesses for what was never measured; once anything was, they are not used.
constexpr double kGuessCpuFlopPerS = 5e9;
constexpr double kGuessGpuFlopPerS = 2e12;
constexpr double kGuessReferenceFlopPerS = 20e9;
constexpr double kLeastCall_s = 5e-6;
constexpr double kSamplesOfALongCall = 3;
constexpr double kSamplesOfACall = 10;
constexpr double kFirstCalls = 10;
constexpr double kGuessProcess_s = 0.8;  // starting a process, its reference product, its later calls

}  // namespace

void Estimator::learn(const std::string& implementation, const Json& parameters, Scope scope, double flop,
                      double median_s) {
  known_[implementation][{scope, parameters.dump()}][flop] = median_s;
}

void Estimator::learn(const std::vector<Measured>& measured) {
  for (const Measured& one : measured)
    learn(one.implementation, one.parameters, one.scope, one.flop, one.median_s);
}

void Estimator::learn(const Point& point, double median_s) {
  learn(point.implementation, gemmlab::to_json(point.parameters), point.scope, point.shape.flop(), median_s);
}

double Estimator::call_s(const Point& point) const {
  const double flop = point.shape.flop();
  const bool gpu = point.implementation.rfind("gpu.", 0) == 0;
  double rate = gpu ? kGuessGpuFlopPerS : kGuessCpuFlopPerS;
  const auto known = known_.find(point.implementation);
  if (known != known_.end()) {
    const std::string parameters = gemmlab::to_json(point.parameters).dump();
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [which, by_size] : known->second) {
      // Another parameter value counts as farther away than any size, another scope as farther still.
      const double elsewhere =
          (which.second == parameters ? 0 : 100) + (which.first == point.scope ? 0 : 1000);
      if (elsewhere > least) continue;
      const auto above = by_size.lower_bound(flop);
      for (auto one : {above, above == by_size.begin() ? above : std::prev(above)}) {
        if (one == by_size.end()) continue;
        const double distance = std::abs(std::log(one->first / flop)) + elsewhere;
        if (distance >= least) continue;
        least = distance;
        rate = one->first / one->second;
      }
    }
  }
  return std::max(kLeastCall_s, flop / rate);
}

double Estimator::point_s(const Point& point, const MeasureSettings& settings) const {
  const double call = call_s(point);
  if (point.scope == Scope::kFirstCall)
    return std::min(settings.max_time_s, kFirstCalls * (call + kGuessProcess_s));
  const double compare_s = point.shape.least_bytes() * 8 / 2e9;
  if (call > settings.max_time_s)
    return 2e8 / (point.shape.flop() / call) + compare_s;  // skipped after its pilot
  const double samples = call > 10 ? 1 : call > 1 ? kSamplesOfALongCall : kSamplesOfACall;
  return call * 2 + std::max(settings.min_time_s, std::min(settings.max_time_s, call * samples)) + compare_s;
}

double Estimator::group_s(const Shape& shape) {
  const double products = std::min(shape.flop(), 2 * kFullCheckLimit);
  return 3 * products / kGuessReferenceFlopPerS + shape.least_bytes() / 1e9;
}

double group_bytes(const Group& group) {
  const Point& point = group.points.front();
  const auto sets = static_cast<double>(sets_needed(group.shape, cpu_info().l3_bytes, point.cold)) + 1;
  const double reference = 4.0 * sizeof(double) * static_cast<double>(group.shape.c_count());
  return sets * group.shape.least_bytes() + reference + 4 * group.shape.least_bytes();
}

}  // namespace gemmlab::runner
