#include "core/subject_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>

#include "core/machine.h"
#include "core/phase_timer.h"
#include "core/sampling.h"

namespace gemmlab {
namespace {

constexpr double kWarmUp_s = 20e-3;
constexpr int kWarmUpCalls = 3;
// A pilot on a few rows of A tells how long the whole takes; work below this is simply run.
constexpr double kPilotFlop = 2e8;
constexpr std::int64_t kMostHostBytes = std::int64_t{1} << 30;
constexpr std::int64_t kSetStride = 7919;  // a prime: no two subjects of a group share a start

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace

void SubjectRun::end(Status status, const std::string& reason) {
  outcome_.status = status;
  outcome_.reason = reason;
}

/// Tells who watches from outside that this subject now makes about `calls` calls.
void SubjectRun::enter(const char* phase, double calls) {
  watch_.enter(origin_, phase, settings_.timeout_s + 10 * seconds_a_call_ * calls);
}

/// Runs one step of this subject; what it throws becomes the outcome. False when it threw.
bool SubjectRun::guarded(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const OutOfMemory& error) {
    end(Status::kOutOfMemory, error.what());
    return false;
  } catch (const std::bad_alloc&) {
    end(Status::kOutOfMemory, "the host has too little memory");
    return false;
  } catch (const std::exception& error) {
    end(Status::kFailed, error.what());
  }
  try {
    subject_.backend->synchronize();
  } catch (const std::exception& error) {
    end(Status::kCrashed, outcome_.reason);
    throw DeviceLost(error.what());
  }
  return false;
}

bool SubjectRun::start(DeviceInputs& inputs, const GroupReferences& references) {
  inputs_ = &inputs;
  const Point& point = subject_.point;
  checks_.emplace(*subject_.backend, point.shape, point.seed, references);
  outcome_.precision = subject_.implementation->description().precision;
  outcome_.input_sets = inputs.timed.count();
  // not all at the same set in the same round: the second would find what the first has just read
  next_set_ = index_ * kSetStride;
  std::string refusal = subject_.implementation->unavailable();
  if (refusal.empty()) refusal = subject_.implementation->why_not(point.shape, point.parameters);
  if (refusal.empty()) refusal = refused_scope(*subject_.implementation, point);
  if (!refusal.empty()) {
    end(Status::kUnsupported, refusal);
    return false;
  }
  outcome_.moved_bytes = subject_.implementation->moved_bytes(point.shape, point.parameters);
  bool goes_on = false;
  return guarded([&] {
           if (predicted_too_long()) return;
           prepare();
           if (subject_.implementation->operands_resident(point.parameters)) stage_operands();
           if (point.scope == Scope::kEndToEnd) take_host_sets();
           check_exact();
           if (wrong_so_far()) return;
           if (seconds_a_call_ > settings_.max_time_s) {
             end(Status::kSkipped, "a call takes " + seconds_text(seconds_a_call_) + ", over the limit of " +
                                       seconds_text(settings_.max_time_s) + " a point");
             return;
           }
           if (settings_.verify_only || seconds_a_call_ <= kLongCall_s) warm_up();
           if (wrong_so_far()) return;
           if (settings_.verify_only) return conclude();
           choose_timing();
           goes_on = true;
         }) &&
         goes_on;
}

/// Seconds of the whole product, from a call on the first `rows` rows of A: the same B, the same strides.
double SubjectRun::pilot_seconds_a_call(std::int64_t rows) {
  const Shape& shape = subject_.point.shape;
  const Shape part{rows, shape.n, shape.k};
  auto session = subject_.implementation->prepare(part, subject_.point.parameters);
  InputSets& sets = inputs_->timed;
  const double seconds = subject_.backend->sample(
      {[&] { session->multiply(sets.a(0), sets.b(0), sets.c(0)); }}, Scope::kCall, Timing::kLaunch, 0);
  return seconds * static_cast<double>(shape.m) / static_cast<double>(rows);
}

bool SubjectRun::predicted_too_long() {
  const Shape& shape = subject_.point.shape;
  if (subject_.backend->device() != Device::kCpu || shape.flop() < 4 * kPilotFlop) return false;
  PhaseTimer timer(outcome_.phases_s["pilot"]);
  enter("pilot");
  const double flop_a_row = shape.flop() / static_cast<double>(shape.m);
  double predicted_s = 0;
  // A second, ten times longer pilot before anything is left out: start-up weighs on a short one.
  for (double flop : {kPilotFlop, 10 * kPilotFlop}) {
    const auto rows = static_cast<std::int64_t>(std::ceil(flop / flop_a_row));
    if (4 * rows > shape.m) return false;
    predicted_s = pilot_seconds_a_call(rows);
    if (predicted_s <= settings_.max_time_s) return false;
  }
  end(Status::kSkipped, "predicted to take " + seconds_text(predicted_s) + " a call, over the limit of " +
                            seconds_text(settings_.max_time_s) + " a point");
  return true;
}

void SubjectRun::prepare() {
  PhaseTimer timer(outcome_.phases_s["prepare"]);
  enter("prepare");
  const Point& point = subject_.point;
  session_ = subject_.implementation->prepare(point.shape, point.parameters);
  if (point.handicap > 0) {
    Shape rows = point.shape;
    rows.m = std::max<std::int64_t>(1, std::llround(point.handicap * static_cast<double>(point.shape.m)));
    again_ = subject_.implementation->prepare(rows, point.parameters);
  }
}

/// What the sets hold, in the form in which the point declares that it lies there.
void SubjectRun::stage_operands() {
  PhaseTimer timer(outcome_.phases_s["prepare"]);
  std::vector<OperandPair> pairs = {{inputs_->exact.a(0), inputs_->exact.b(0)}};
  for (std::int64_t set = 0; set < inputs_->timed.count(); ++set) {
    pairs.push_back({inputs_->timed.a(set), inputs_->timed.b(set)});
  }
  session_->stage(pairs);
  if (again_) again_->stage(pairs);
}

/// The matrices that an end-to-end point sends to its device: made by the first that needs them.
void SubjectRun::take_host_sets() {
  PhaseTimer timer(outcome_.phases_s["inputs"]);
  enter("inputs");
  const Point& point = subject_.point;
  std::unique_ptr<HostSets>& host = inputs_->host[point.host_memory];
  if (!host) {
    // as cold for the host's caches as the device's inputs are for the device's
    const auto set_bytes = static_cast<std::int64_t>(point.shape.least_bytes());
    const std::int64_t sets = std::min(std::max<std::int64_t>(2, kMostHostBytes / set_bytes),
                                       sets_needed(point.shape, host_cache_bytes(), point.cold));
    host = std::make_unique<HostSets>(*subject_.backend, point.shape, point.distribution, point.seed,
                                      point.host_memory, sets);
  }
  host_ = host.get();
  outcome_.input_sets = host_->count();
}

void SubjectRun::multiply(const float* a, const float* b, float* c) {
  session_->multiply(a, b, c);
  if (again_) again_->multiply(a, b, c);
}

Backend::Call SubjectRun::call_on(std::int64_t set) {
  return [this, set] { multiply(inputs_->timed.a(set), inputs_->timed.b(set), inputs_->timed.c(set)); };
}

void SubjectRun::check_exact() {
  PhaseTimer timer(outcome_.phases_s["verify"]);
  enter("exact check");
  InputSets& sets = inputs_->exact;
  subject_.backend->poison(sets.c(0), subject_.point.shape.c_count());
  seconds_a_call_ = subject_.backend->sample({[&] { multiply(sets.a(0), sets.b(0), sets.c(0)); }},
                                             Scope::kCall, Timing::kLaunch, key());
  enter("comparing");
  checks_->exact(sets);
}

/// Calls on the real inputs until caches, clocks and pages have settled; the first one's C is checked.
void SubjectRun::warm_up() {
  if (host_ != nullptr) {
    host_->poison();
  } else {
    subject_.backend->poison(inputs_->timed.c(0), subject_.point.shape.c_count());
  }
  double spent_s = 0;
  double best_s = 0;
  for (int call = 0; call < kWarmUpCalls || spent_s < kWarmUp_s; ++call) {
    double seconds = 0;
    {
      PhaseTimer timer(outcome_.phases_s["warm_up"]);
      enter("warm-up");
      seconds = one_call_s(0);
    }
    if (call == 0) {
      PhaseTimer timer(outcome_.phases_s["verify"]);
      enter("comparing");
      host_ != nullptr ? checks_->host(*host_, 0) : checks_->timed(inputs_->timed, 0, true);
      if (settings_.verify_only) return;
    }
    best_s = call == 0 ? seconds : std::min(best_s, seconds);
    spent_s += std::max(seconds, 1e-6);
    if (seconds > kLongCall_s / kWarmUpCalls) break;
  }
  seconds_a_call_ = best_s;
}

void SubjectRun::judge_clock(bool any_throttled, double highest_mhz) {
  outcome_.observed.judge(any_throttled, highest_mhz);
  if (!outcome_.observed.throttled()) return;
  outcome_.warnings.push_back(
      retaken_ > 0
          ? "the clock was held down while this was measured, also when it was measured again"
          : "the clock was held down while this was measured, or while the others of its group were");
}

/// Ends the subject, and says so, where a check has found it wrong: nothing wrong is timed any further.
bool SubjectRun::wrong_so_far() {
  const std::string failure = checks_->failure();
  if (failure.empty()) return false;
  outcome_.checks = checks_->all();
  end(Status::kIncorrect, failure);
  return true;
}

void SubjectRun::conclude() {
  outcome_.checks = checks_->all();
  outcome_.threads_actual = session_->threads_actual();
  outcome_.chosen = session_->chosen();
  outcome_.resources = session_->resources();
  outcome_.remeasured = retaken_ > 0;
  if (overall(outcome_.checks) == Verdict::kUncertified) {
    outcome_.warnings.push_back("this distribution is timed but its accuracy is not certified");
  }
  const Status status = status_of(outcome_.checks, outcome_.precision);
  if (status == Status::kIncorrect) {
    wrong_so_far();
  } else {
    end(status, status == Status::kOk ? "" : "less accurate than the float32 that it declares");
  }
}

}  // namespace gemmlab
