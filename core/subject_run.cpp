#include "core/subject_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <new>
#include <thread>

#include "core/machine.h"

namespace gemmlab {
namespace {

// A call this long needs no more than three samples, or one: its own length averages the machine's noise.
constexpr double kLongCall_s = 1;
constexpr double kVeryLongCall_s = 10;
// Below this a single launch is too close to the clock's cost (events on a GPU: 1 to 5 µs).
constexpr double kGraphBelow_s = 1e-3;
// On the CPU a sample is a row of calls of this length: what making ready for it costs (see Backend::settle)
// stays small beside it.
constexpr double kBatchLength_s = 10e-3;
constexpr double kBatchBelow_s = kBatchLength_s / 2;
constexpr double kHostClockLength_s =
    1e-3;  // of an end-to-end sample at least: the host clock's own cost is 30 ns
constexpr double kWakeBelow_s = 50e-3;  // longer calls do not notice what waking their threads costs
constexpr double kWarmUp_s = 20e-3;
constexpr int kWarmUpCalls = 3;
constexpr std::int64_t kMostCallsASample = 1024;
constexpr std::int64_t kMostGraphNodes = 8192;  // tiny shapes: the graph goes round this many of their sets
constexpr std::size_t kMostRounds = 2000;
constexpr std::size_t kFewestForInterval = 8;              // of 99 %, by which differences are judged
constexpr auto kCoolDown = std::chrono::milliseconds(50);  // before a throttled sample is taken again
constexpr int kMostRetaken = 20;
// A pilot on a few rows of A tells how long the whole takes; work below this is simply run.
constexpr double kPilotFlop = 2e8;
constexpr std::int64_t kMostHostBytes = std::int64_t{1} << 30;
constexpr std::int64_t kSetStride = 7919;  // a prime: no two subjects of a group share a start

class PhaseTimer {
 public:
  explicit PhaseTimer(double& total) : total_(total), start_(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() {
    total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_;
};

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
template <typename Work>
bool SubjectRun::guarded(Work&& work) {
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
  if (!refusal.empty()) {
    end(Status::kUnsupported, refusal);
    return false;
  }
  outcome_.moved_bytes = subject_.implementation->moved_bytes(point.shape, point.parameters);
  bool goes_on = false;
  return guarded([&] {
           if (predicted_too_long()) return;
           prepare();
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
                                             Scope::kCall, Timing::kLaunch, 0);
  enter("comparing");
  checks_->exact(sets);
}

/// Seconds of a single call in the point's own scope.
double SubjectRun::one_call_s(std::int64_t set) {
  Backend& backend = *subject_.backend;
  if (host_ == nullptr) return backend.sample({call_on(set)}, subject_.point.scope, Timing::kLaunch, key());
  const Shape& shape = subject_.point.shape;
  EndToEnd work;
  work.a = host_->a(set);
  work.b = host_->b(set);
  work.c = host_->c();
  work.a_count = shape.a_count();
  work.b_count = shape.b_count();
  work.c_count = shape.c_count();
  work.count_allocation = subject_.point.count_allocation;
  work.multiply = [this](const float* a, const float* b, float* c) { multiply(a, b, c); };
  return backend.end_to_end_s(work);
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

/// Short calls are strung together, every set in its turn, so that the launch and the clock are not what is
/// measured.
void SubjectRun::choose_timing() {
  const bool gpu = subject_.backend->device() == Device::kGpu;
  const std::int64_t sets = outcome_.input_sets;
  const double seconds = std::max(seconds_a_call_, 1e-9);
  const auto calls_in = [&](double length_s) {
    return std::min(kMostCallsASample, static_cast<std::int64_t>(std::ceil(length_s / seconds)));
  };
  if (subject_.point.scope == Scope::kEndToEnd) {
    // the clock of each call is read by itself, and the sample is their mean
    outcome_.calls_per_sample = calls_in(kHostClockLength_s);
  } else if (gpu && subject_.point.scope == Scope::kKernel && seconds < kGraphBelow_s) {
    outcome_.timing = Timing::kGraph;
    outcome_.calls_per_sample = std::min((calls_in(kGraphBelow_s) + sets - 1) / sets * sets, kMostGraphNodes);
  } else if (!gpu && seconds < kBatchBelow_s) {
    outcome_.timing = Timing::kBatch;
    outcome_.calls_per_sample = calls_in(kBatchLength_s);
  }
}

/// Seconds of all calls of a sample on the device's own matrices. A graph always replays the same sets in the
/// same order; else the sets go round.
double SubjectRun::device_sample_s() {
  const std::int64_t sets = inputs_->timed.count();
  if (calls_.empty() || outcome_.timing != Timing::kGraph) {
    calls_.clear();
    for (std::int64_t call = 0; call < outcome_.calls_per_sample; ++call) {
      calls_.push_back(call_on(next_set_++ % sets));
    }
  }
  return subject_.backend->sample(calls_, subject_.point.scope, outcome_.timing, key());
}

double SubjectRun::end_to_end_sample_s() {
  double seconds = 0;
  for (std::int64_t call = 0; call < outcome_.calls_per_sample; ++call) {
    seconds += one_call_s(next_set_++ % host_->count());
  }
  return seconds;
}

/// Makes the device ready for a sample. The untimed call that wakes its threads counts as warm-up.
void SubjectRun::settle() {
  enter("settling");
  double wake_s = 0;
  Backend::Call wake;
  if (subject_.backend->device() == Device::kCpu && seconds_a_call_ <= kWakeBelow_s) {
    wake = [&, call = call_on(next_set_++ % inputs_->timed.count())] {
      PhaseTimer timer(wake_s);
      call();
    };
  }
  {
    PhaseTimer timer(outcome_.phases_s["settle"]);
    subject_.backend->settle(wake);
  }
  outcome_.phases_s["settle"] -= wake_s;
  outcome_.phases_s["warm_up"] += wake_s;
}

/// Takes one sample and keeps it. One that a held-down clock has spoilt is taken again in the same round, so
/// that the ratios with what others took in it stay what they are.
void SubjectRun::sample(int round) {
  for (;;) {
    settle();
    enter("timed call", static_cast<double>(outcome_.calls_per_sample));
    double seconds = 0;
    double whole_s = 0;
    Conditions conditions;
    {
      PhaseTimer timer(whole_s);
      seconds = host_ != nullptr ? end_to_end_sample_s() : device_sample_s();
      conditions = subject_.backend->conditions();
    }
    outcome_.phases_s["timed"] += seconds;
    outcome_.phases_s["settle"] += whole_s - seconds;  // a graph's capture, readings of clocks and threads
    if (conditions.throttle_reasons && !conditions.throttle_reasons->empty() && retaken_ < kMostRetaken) {
      ++retaken_;
      std::this_thread::sleep_for(kCoolDown);
      continue;
    }
    timed_s_ += seconds;
    outcome_.observed.add(conditions);
    outcome_.samples_s.push_back(seconds / static_cast<double>(outcome_.calls_per_sample));
    outcome_.rounds.push_back(round);
    return;
  }
}

void SubjectRun::verified_sample(int round) {
  {
    PhaseTimer timer(outcome_.phases_s["verify"]);
    host_ != nullptr ? host_->poison() : inputs_->timed.poison_all();
  }
  sample(round);
  PhaseTimer timer(outcome_.phases_s["verify"]);
  enter("comparing");
  const std::int64_t last = (next_set_ - 1) % outcome_.input_sets;
  if (host_ != nullptr) return checks_->host(*host_, last);
  checks_->timed(inputs_->timed, last, true);
  const std::int64_t first = (next_set_ - outcome_.calls_per_sample) % outcome_.input_sets;
  if (first != last) checks_->timed(inputs_->timed, first, false);
}

/// Ends the subject, and says so, where a check has found it wrong: nothing wrong is timed any further.
bool SubjectRun::wrong_so_far() {
  const std::string failure = checks_->failure();
  if (failure.empty()) return false;
  outcome_.checks = checks_->all();
  end(Status::kIncorrect, failure);
  return true;
}

bool SubjectRun::wants_more() const {
  const std::size_t taken = outcome_.samples_s.size() + 1;  // the verified last one is still to come
  if (seconds_a_call_ > kVeryLongCall_s) return false;
  if (seconds_a_call_ > kLongCall_s) return taken < 3 && timed_s_ < settings_.max_time_s;
  return taken < kMostRounds && timed_s_ < settings_.max_time_s;
}

bool SubjectRun::round(int round) {
  bool last = !wants_more();
  if (!last && timed_s_ >= settings_.min_time_s &&
      outcome_.samples_s.size() + 1 >= std::max(kFewestForInterval, next_look_)) {
    last = relative_half_width(outcome_.samples_s) <= settings_.precision;
    if (last) outcome_.stop_reason = "precision";
    // Looked at now and then only: sorting all samples in every round would cost more than short calls do.
    next_look_ = outcome_.samples_s.size() * 9 / 8 + 1;
  }
  if (!last) return guarded([&] { sample(round); });
  if (outcome_.stop_reason.empty()) {
    outcome_.stop_reason = seconds_a_call_ > kLongCall_s      ? "long call"
                           : timed_s_ >= settings_.max_time_s ? "limit"
                                                              : "rounds";
  }
  guarded([&] {
    verified_sample(round);
    if (!wrong_so_far()) conclude();
  });
  return false;
}

void SubjectRun::conclude() {
  outcome_.checks = checks_->all();
  outcome_.threads_actual = session_->threads_actual();
  outcome_.chosen = session_->chosen();
  outcome_.resources = session_->resources();
  outcome_.remeasured = retaken_ > 0;
  if (outcome_.observed.throttled()) {
    outcome_.warnings.push_back(
        "the clock was held down while this was measured, also when it was measured again");
  }
  switch (overall(outcome_.checks)) {
    case Verdict::kOk:
      end(Status::kOk, "");
      break;
    case Verdict::kUncertified:
      outcome_.warnings.push_back("this distribution is timed but its accuracy is not certified");
      end(Status::kOk, "");
      break;
    case Verdict::kReducedPrecision:
      if (outcome_.precision != Precision::kFp32) {
        end(Status::kOk, "");
      } else {
        end(Status::kReducedPrecision, "less accurate than the float32 that it declares");
      }
      break;
    case Verdict::kIncorrect:
      wrong_so_far();
      break;
  }
}

}  // namespace gemmlab
