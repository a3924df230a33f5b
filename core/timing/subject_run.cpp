#include "core/timing/subject_run.h"

#include <algorithm>
#include <cstdio>
#include <new>

#include "core/machine/machine.h"
#include "core/timing/phase_timer.h"
#include "core/timing/sampling.h"

namespace gemmlab {
namespace {

constexpr int kWarmUpCalls = 3;
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

/// Tells the watcher that this subject now makes about `calls` calls.
void SubjectRun::enter(const char* phase, double calls) {
  watch_.enter(origin_, phase, settings_.timeout_s + 10 * seconds_per_call_ * calls);
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
  checks_.emplace(*subject_.backend, point.instance, references);
  outcome_.input_sets = inputs.timed.count();
  // not all at the same set in the same round: the second would find what the first has just read
  next_set_ = index_ * kSetStride;
  std::string refusal = subject_.implementation->unavailable();
  if (refusal.empty()) refusal = subject_.implementation->why_not(point.instance, point.parameters);
  if (refusal.empty()) refusal = refused_scope(*subject_.implementation, point);
  if (!refusal.empty()) {
    end(Status::kUnsupported, refusal);
    return false;
  }
  outcome_.moved_bytes = subject_.implementation->moved_bytes(point.instance, point.parameters);
  bool goes_on = false;
  return guarded([&] {
           if (predicted_too_long()) return;
           prepare();
           if (subject_.implementation->operands_resident(point.parameters)) stage_operands();
           if (point.scope == Scope::kEndToEnd) take_host_sets();
           check_exact();
           if (wrong_so_far()) return;
           if (seconds_per_call_ > settings_.max_time_s) {
             end(Status::kSkipped, "a call takes " + seconds_text(seconds_per_call_) +
                                       ", over the limit of " + seconds_text(settings_.max_time_s) +
                                       " a point");
             return;
           }
           if (settings_.verify_only || seconds_per_call_ <= kLongCall_s) warm_up();
           if (wrong_so_far()) return;
           if (settings_.verify_only) return conclude();
           choose_timing();
           goes_on = true;
         }) &&
         goes_on;
}

/// Seconds of a call on a part of the whole.
double SubjectRun::pilot_seconds(const Instance& part) {
  auto session = subject_.implementation->prepare(part, subject_.point.parameters);
  const Operands operands = inputs_->timed.operands(0);
  return subject_.backend->sample({[&] { session->run(operands); }}, Scope::kCall, Timing::kLaunch, 0);
}

bool SubjectRun::predicted_too_long() {
  const Instance& whole = subject_.point.instance;
  const double operations = whole.operation->operation_count(whole);
  if (!subject_.backend->device().host_threads || operations < 4 * kPilotOperations) return false;
  PhaseTimer timer(outcome_.phases_s["pilot"]);
  enter("pilot");
  const auto pilot = [&](double share) -> std::optional<Pilot> {
    const std::optional<Instance> part = whole.operation->part(whole, share);
    const double real = part ? whole.operation->operation_count(*part) / operations : 1;
    if (4 * real > 1) return std::nullopt;
    return Pilot{pilot_seconds(*part), real};
  };
  const std::optional<double> predicted_s = predicted_over(settings_.max_time_s, operations, pilot);
  if (!predicted_s) return false;
  end(Status::kSkipped, "predicted to take " + seconds_text(*predicted_s) + " a call, over the limit of " +
                            seconds_text(settings_.max_time_s) + " a point");
  return true;
}

void SubjectRun::prepare() {
  PhaseTimer timer(outcome_.phases_s["prepare"]);
  enter("prepare");
  const Point& point = subject_.point;
  session_ = subject_.implementation->prepare(point.instance, point.parameters);
  if (point.handicap > 0) {
    const std::optional<Instance> part = point.instance.operation->part(point.instance, point.handicap);
    if (!part || point.instance.in_out())
      throw std::invalid_argument(point.instance.operation->name() + " takes no handicap");
    again_ = subject_.implementation->prepare(*part, point.parameters);
  }
}

/// Converts what the sets hold to the form that the point declares.
void SubjectRun::stage_operands() {
  PhaseTimer timer(outcome_.phases_s["prepare"]);
  std::vector<Operands> all = {inputs_->exact.operands(0)};
  for (std::int64_t set = 0; set < inputs_->timed.count(); ++set) all.push_back(inputs_->timed.operands(set));
  session_->stage(all);
  if (again_) again_->stage(all);
}

/// The operands that an end-to-end point sends to its device: made by the first that needs them.
void SubjectRun::take_host_sets() {
  PhaseTimer timer(outcome_.phases_s["inputs"]);
  enter("inputs");
  const Point& point = subject_.point;
  std::unique_ptr<HostSets>& host = inputs_->host[point.host_memory];
  if (!host) {
    // as cold for the host's caches as the device's inputs are for the device's
    const std::int64_t sets = std::min(std::max<std::int64_t>(2, kMostHostBytes / point.instance.bytes()),
                                       sets_needed(point.instance, host_cache_bytes(), point.cold));
    host = std::make_unique<HostSets>(*subject_.backend, point.instance, point.values(), point.host_memory,
                                      sets);
  }
  host_ = host.get();
  outcome_.input_sets = host_->count();
}

void SubjectRun::call(const Operands& operands) {
  session_->run(operands);
  if (again_) again_->run(operands);
}

Backend::Call SubjectRun::call_on(std::int64_t set) {
  return [this, operands = inputs_->timed.operands(set)] { call(operands); };
}

void SubjectRun::check_exact() {
  PhaseTimer timer(outcome_.phases_s["verify"]);
  enter("exact check");
  InputSets& sets = inputs_->exact;
  sets.make_ready(0);
  const Operands operands = sets.operands(0);
  seconds_per_call_ =
      subject_.backend->sample({[&] { call(operands); }}, Scope::kCall, Timing::kLaunch, key());
  enter("comparing");
  checks_->exact(sets);
}

/// Calls on the real inputs until caches, clocks and pages have settled; the first one's outputs are checked.
void SubjectRun::warm_up() {
  host_ != nullptr ? host_->make_ready(0) : inputs_->timed.make_ready(0);
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
  seconds_per_call_ = best_s;
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
  const Status status =
      status_of(outcome_.checks, subject_.implementation->precision(subject_.point.instance));
  if (status == Status::kIncorrect) {
    wrong_so_far();
  } else {
    end(status, status == Status::kOk ? "" : "less accurate than the float32 that it declares");
  }
}

}  // namespace gemmlab
