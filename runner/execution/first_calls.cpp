#include "runner/execution/first_calls.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/statistics.h"
#include "runner/roofline.h"

namespace gemmlab::runner {
namespace {

/// One point from its first process to its record.
class Series {
 public:
  Series(const Point& point, const MeasureSettings& settings) : point_(point), settings_(settings) {}

  const Point& point() const { return point_; }
  const Outcome& outcome() const { return outcome_; }

  /// Starts a process, takes its sample, and says whether another is wanted.
  bool sample(int round) {
    const auto start = std::chrono::steady_clock::now();
    take(round);
    spent_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    double timed_s = 0;
    for (const double seconds : outcome_.samples_s) timed_s += seconds;
    outcome_.phases_s = {{"timed", timed_s}, {"start_up", spent_s_ - timed_s}};
    if (outcome_.status != Status::kOk) return false;
    const std::size_t taken = outcome_.samples_s.size();
    if (taken < kFewestFirstCalls && spent_s_ < settings_.max_time_s) return true;
    const bool precise = relative_half_width(outcome_.samples_s) <= settings_.precision;
    outcome_.stop_reason = precise                            ? "precision"
                           : spent_s_ >= settings_.max_time_s ? "limit"
                           : taken >= kMostFirstCalls         ? "rounds"
                                                              : "";
    return outcome_.stop_reason.empty();
  }

 private:
  void take(int round) {
    Supervisor process;
    process.set_environment(
        {{"CUDA_MODULE_LOADING", point_.module_loading == ModuleLoading::kEager ? "EAGER" : "LAZY"}});
    Outcome one;
    try {
      one = process.first_call(point_, settings_.timeout_s);
    } catch (const TimedOut& late) {
      one.status = Status::kTimeout;
      one.reason = late.what();
    } catch (const std::runtime_error& died) {
      one.status = Status::kCrashed;
      one.reason = died.what();
    }
    std::vector<double> samples_s = std::move(outcome_.samples_s);
    std::vector<int> rounds = std::move(outcome_.rounds);
    std::vector<FirstCall> first_calls = std::move(outcome_.first_calls);
    std::vector<Check> checks = std::move(outcome_.checks);
    samples_s.insert(samples_s.end(), one.samples_s.begin(), one.samples_s.end());
    rounds.insert(rounds.end(), one.samples_s.size(), round);
    first_calls.insert(first_calls.end(), one.first_calls.begin(), one.first_calls.end());
    checks.insert(checks.end(), one.checks.begin(), one.checks.end());
    outcome_ = std::move(one);  // facts of the last process; samples of all
    outcome_.samples_s = std::move(samples_s);
    outcome_.rounds = std::move(rounds);
    outcome_.first_calls = std::move(first_calls);
    outcome_.checks = std::move(checks);
  }

  const Point& point_;
  const MeasureSettings& settings_;
  Outcome outcome_;
  double spent_s_ = 0;
};

}  // namespace

void measure_first_calls(const GroupRequest& request, const Json& unavailable,
                         const Supervisor::OnCase& on_case, const Supervisor::OnTick& on_tick) {
  std::vector<std::unique_ptr<Series>> running;
  for (const Point& point : request.points) {
    if (!unavailable.contains(point.implementation)) {
      running.push_back(std::make_unique<Series>(point, request.group->settings));
      continue;
    }
    Outcome outcome;
    outcome.status = Status::kUnsupported;
    outcome.reason = unavailable.at(point.implementation);
    on_case(point, case_record(request.run_id, request.experiment, point, outcome, 0, ""));
  }
  Shuffler shuffler(request.group->settings.shuffle_seed);
  for (int round = 0; !running.empty(); ++round) {
    std::vector<std::unique_ptr<Series>> next;
    for (const int place : shuffler.order(static_cast<int>(running.size()))) {
      std::unique_ptr<Series>& at = running[static_cast<std::size_t>(place)];
      Series& series = *at;
      on_tick(&series.point(), "first call");
      if (series.sample(round)) {
        next.push_back(std::move(at));
        continue;
      }
      const Floor floor = floor_of(series.point(), request.ceilings, request.caches);
      on_case(series.point(), case_record(request.run_id, request.experiment, series.point(),
                                          series.outcome(), floor.seconds, floor.bound_by));
    }
    running = std::move(next);
  }
}

}  // namespace gemmlab::runner
