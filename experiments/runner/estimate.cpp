#include "experiments/runner/estimate.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

void Estimator::learn(const std::vector<Measured>& measured) {
  measured_.insert(measured_.end(), measured.begin(), measured.end());
}

void Estimator::learn(const Point& point, double median_s) {
  measured_.push_back({point.implementation, to_json(point.parameters), point.shape.flop(), median_s});
}

double Estimator::call_s(const Point& point) const {
  const double flop = point.shape.flop();
  const Json parameters = to_json(point.parameters);
  const Measured* best = nullptr;
  double least = 0;
  for (const Measured& known : measured_) {
    if (known.implementation != point.implementation) continue;
    // Another parameter value counts as farther away than any size.
    const double distance =
        std::abs(std::log(known.flop / flop)) + (known.parameters == parameters ? 0 : 100);
    if (best == nullptr || distance < least) {
      best = &known;
      least = distance;
    }
  }
  const bool gpu = point.implementation.rfind("gpu.", 0) == 0;
  const double rate = best != nullptr ? best->flop / best->median_s
                      : gpu           ? kGuessGpuFlopPerS
                                      : kGuessCpuFlopPerS;
  return std::max(kLeastCall_s, flop / rate);
}

double Estimator::point_s(const Point& point, const MeasureSettings& settings) const {
  const double call = call_s(point);
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
