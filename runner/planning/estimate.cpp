#include "runner/planning/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/inputs/input_sets.h"
#include "core/machine/machine.h"
#include "runner/execution/first_calls.h"
#include "runner/planning/too_long.h"

namespace gemmlab::runner {
namespace {

// Guesses for what was never measured; once anything was, they are not used.
constexpr double kGuessReferenceFlopPerS = 20e9;
constexpr double kGuessProcess_s = 0.8;  // starting a process, its reference product, its later calls
constexpr std::int64_t kGuessDeviceCacheBytes = 50 << 20;
constexpr std::int64_t kGuessHostCacheBytes = 32 << 20;
// Of ceilings and inputs: what the records of an Intel and an AMD host have, the middle between idle and busy ones.
constexpr TimeRange kGuessCeilings_s{1, 7, 20};
constexpr TimeRange kGuessInputBytesPerS{1e9, 0.4e9, 0.15e9};

constexpr double kLeastCall_s = 5e-6;
constexpr double kSettle_s = 0.5e-3;  // between two samples

double least_bytes(const Instance& instance) {
  return instance.operation->least_bytes(instance);
}

double guessed_call_s(const Point& point) {
  return std::max(point.instance.operation->operation_count(point.instance) / point.device.guessed_flop_per_s,
                  least_bytes(point.instance) / point.device.guessed_bytes_per_s);
}

TimeRange first_call_range(double call_s, double samples_for_unit, const MeasureSettings& settings) {
  const auto lasting = [&](double processes) {
    const double taken = std::clamp<double>(processes, kFewestFirstCalls, kMostFirstCalls);
    return std::min(settings.max_time_s, taken * (call_s + kGuessProcess_s));
  };
  return {lasting(0), lasting(samples_for_unit / (settings.precision * settings.precision)),
          lasting(kMostFirstCalls)};
}

}  // namespace

TimeRange& TimeRange::operator+=(const TimeRange& other) {
  least_s += other.least_s;
  likely_s += other.likely_s;
  most_s += other.most_s;
  return *this;
}

Estimator::Estimator() : Estimator(host_cache_bytes()) {}

Estimator Estimator::same_everywhere() {
  return Estimator(kGuessHostCacheBytes);
}

std::int64_t Estimator::cache_bytes(const Point& point) const {
  return point.device.own_memory ? kGuessDeviceCacheBytes : host_cache_bytes_;
}

Sampling Estimator::sampling_of(const Point& point, double call_s) const {
  return gemmlab::sampling_of(point.device, point.scope, call_s,
                              sets_needed(point.instance, cache_bytes(point), point.cold));
}

/// Samples, and what goes on between them, until there are `samples` and the least time is over; or the
/// limit is reached.
double Estimator::sampling_s(double samples, const Point& point, double call_s,
                             const MeasureSettings& settings) const {
  const double sample_s = call_s * static_cast<double>(sampling_of(point, call_s).calls);
  const double wanted = std::max(samples, std::ceil(settings.min_time_s / sample_s));
  const double within_limit = std::max(1.0, std::ceil(settings.max_time_s / sample_s));
  const double taken = std::min({wanted, within_limit, static_cast<double>(most_samples(call_s))});
  const bool woken = point.device.host_threads && call_s <= kWakeBelow_s;
  return taken * (sample_s + kSettle_s + (woken ? call_s : 0));
}

void Estimator::learn(const std::vector<Measured>& measured, Source source) {
  Known& known = source == Source::kHere ? here_ : elsewhere_;
  for (const Measured& one : measured) {
    const Pace pace{one.median_s, one.samples_for_unit, one.parameters.dump()};
    OfImplementation& of_implementation = known[one.implementation];
    of_implementation.by_parameters[{one.scope, pace.parameters}][one.work] = pace;
    Pace& of_scope = of_implementation.by_scope[one.scope].emplace(one.work, pace).first->second;
    if (pace.parameters <= of_scope.parameters) of_scope = pace;
  }
}

void Estimator::learn_ceilings(double seconds, Source source) {
  if (seconds > 0) (source == Source::kHere ? ceilings_here_s_ : ceilings_elsewhere_s_) = seconds;
}

TimeRange Estimator::ceilings() const {
  if (ceilings_here_s_ > 0) return {ceilings_here_s_, ceilings_here_s_, ceilings_here_s_};
  TimeRange range = kGuessCeilings_s;
  if (ceilings_elsewhere_s_ > 0) range.likely_s = ceilings_elsewhere_s_;
  return {std::min(range.least_s, range.likely_s), range.likely_s, std::max(range.likely_s, range.most_s)};
}

TimeRange Estimator::inputs(const Group& group, const std::vector<Point>& points) const {
  TimeRange range;
  for (const Device& device : kDevices) {
    std::int64_t sets = 0;
    for (const Point& point : points) {
      if (point.device == device && point.scope != Scope::kFirstCall)
        sets = std::max(sets, sets_needed(group.instance, cache_bytes(point), point.cold));
    }
    const double bytes = static_cast<double>(sets) * static_cast<double>(group.instance.bytes());
    range += {bytes / kGuessInputBytesPerS.least_s, bytes / kGuessInputBytesPerS.likely_s,
              bytes / kGuessInputBytesPerS.most_s};
  }
  return range;
}

const Estimator::BySize::value_type* Estimator::look_up(const Known& known, const Point& point) {
  const auto of_implementation = known.find(point.implementation);
  if (of_implementation == known.end()) return nullptr;
  const auto& [by_parameters, by_scope] = of_implementation->second;
  const double work = work_of(point.instance);
  const BySize::value_type* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  const auto look_at = [&](const BySize& by_size) {
    const auto above = by_size.lower_bound(work);
    for (auto one : {above, above == by_size.begin() ? above : std::prev(above)}) {
      if (one == by_size.end()) continue;
      const double distance = std::abs(std::log(one->first / work));
      if (distance >= least) continue;
      least = distance;
      nearest = &*one;
    }
  };
  const std::string parameters = gemmlab::to_json(point.parameters).dump();
  const auto same_parameters = [&](Scope scope) {
    const auto found = by_parameters.find({scope, parameters});
    if (found != by_parameters.end()) look_at(found->second);
  };
  same_parameters(point.scope);
  if (nearest != nullptr) return nearest;
  if (const auto same_scope = by_scope.find(point.scope); same_scope != by_scope.end())
    look_at(same_scope->second);
  if (nearest != nullptr) return nearest;
  for (const auto& [scope, any] : by_scope) same_parameters(scope);
  if (nearest != nullptr) return nearest;
  for (const auto& [scope, any] : by_scope) look_at(any);
  return nearest;
}

Estimator::Found Estimator::find(const Point& point) const {
  const double work = work_of(point.instance);
  for (const Source source : {Source::kHere, Source::kElsewhere}) {
    const auto* nearest = look_up(source == Source::kHere ? here_ : elsewhere_, point);
    if (nearest == nullptr) continue;
    const auto& [its_work, pace] = *nearest;
    return {source, std::max(kLeastCall_s, work / its_work * pace.median_s),
            pace.samples_for_unit > 0 ? pace.samples_for_unit : point.device.guessed_samples_for_unit};
  }
  return {Source::kGuess, std::max(kLeastCall_s, guessed_call_s(point)),
          point.device.guessed_samples_for_unit};
}

Estimator::PointEstimate Estimator::point(const Point& point, const MeasureSettings& settings) const {
  const Found found = find(point);
  const double call = found.call_s;
  if (point.scope == Scope::kFirstCall)
    return {first_call_range(call, found.samples_for_unit, settings), found.source, call, call};
  const double compare_s = least_bytes(point.instance) * 8 / 2e9;
  const double needed = found.samples_for_unit / (settings.precision * settings.precision);
  const double fewest = kFewestForComparison;
  TimeRange range;
  const bool skipped = found.source == Source::kHere && call > kSurelyTooLong * settings.max_time_s;
  if (call > settings.max_time_s) {
    // skipped after its pilot; where a smaller one tells that it is far too long, without
    const double operations = point.instance.operation->operation_count(point.instance);
    const double pilot_s = (operations > 0 ? kPilotOperations / operations * call : 0) + compare_s;
    range = {skipped ? 0 : pilot_s, skipped ? 0 : pilot_s, pilot_s};
  } else if (point.load == Load::kSustained) {
    const double whole_s = std::max(settings.sustained_s, 2 * call) + kWarmUp_s + 4 * call + compare_s;
    range = {whole_s, whole_s, whole_s};
  } else {
    const double before_s = call + (call > kLongCall_s ? 0 : std::max(3 * call, kWarmUp_s)) + compare_s;
    range = {before_s + sampling_s(fewest, point, call, settings),
             before_s + sampling_s(std::max(fewest, needed), point, call, settings),
             before_s + sampling_s(std::numeric_limits<double>::max(), point, call, settings)};
    const double energy_s = settings.energy_s > 0 ? std::max(settings.energy_s, call) : 0;
    range += {energy_s, energy_s, energy_s};
  }
  // what was not measured here may have calls of any length
  if (found.source != Source::kHere)
    range.most_s = std::max(range.most_s, settings.max_time_s + compare_s + kWarmUp_s);
  return {range, found.source, call, call * static_cast<double>(sampling_of(point, call).calls), skipped};
}

TimeRange Estimator::besides(const Group& group, const std::vector<Point>& points,
                             const std::vector<PointEstimate>& estimates) const {
  const double products =
      std::min(group.instance.operation->operation_count(group.instance), 2 * kFullCheckLimit);
  const double made_s = 3 * products / kGuessReferenceFlopPerS + least_bytes(group.instance) / 1e9;
  TimeRange range = inputs(group, points);
  range += {made_s, made_s, made_s};
  if (!group.settings.twins) return range;
  for (const Device& device : kDevices) {
    TimeRange sum;
    double candidates = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].device != device || points[i].scope == Scope::kFirstCall) continue;
      if (estimates[i].sample_s > kTwinBelow_s || points[i].load == Load::kSustained) continue;
      sum += estimates[i].time;
      ++candidates;
    }
    if (candidates == 0) continue;
    range += {sum.least_s / candidates, sum.likely_s / candidates, sum.most_s / candidates};
  }
  return range;
}

TimeRange Estimator::whole(const Group& group, const std::vector<Point>& points) const {
  TimeRange range;
  std::vector<PointEstimate> estimates;
  for (const Point& one : points) {
    estimates.push_back(point(one, group.settings));
    range += estimates.back().time;
  }
  range += besides(group, points, estimates);
  return range;
}

double group_bytes(const Group& group) {
  const Point& point = group.points.front();
  const auto sets = static_cast<double>(sets_needed(group.instance, host_cache_bytes(), point.cold)) + 1;
  double outputs = 0;
  const std::vector<OperandSpec> operands = group.instance.operands();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].direction != Direction::kIn)
      outputs += static_cast<double>(group.instance.operation->count(group.instance, i));
  }
  const double reference = 4.0 * sizeof(double) * outputs;
  return (sets + 4) * static_cast<double>(group.instance.bytes()) + reference;
}

}  // namespace gemmlab::runner
