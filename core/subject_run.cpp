#include "core/subject_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <new>
#include <thread>

namespace gemmlab {
namespace {

// A call this long needs no more than three samples, or one: its own length averages the machine's noise.
constexpr double kLongCall_s = 1;
constexpr double kVeryLongCall_s = 10;
// Below these a single call is too close to the clock's cost (events on a GPU: 1 to 5 µs; a host clock: 30
// ns).
constexpr double kGraphBelow_s = 1e-3;
constexpr double kBatchBelow_s = 1e-3;
constexpr double kBatchLength_s = 2e-3;
// Threads of the point measured before spin for about a millisecond (GOMP_SPINCOUNT, see the runner) before
// they sleep; on a full machine they would take the cores from this one's. Seen without the pause: OpenBLAS
// at 256 on 16 cores waits 5.8 ms a call for cores held by idle OpenMP threads.
constexpr auto kSettle = std::chrono::milliseconds(2);
constexpr double kWakeBelow_s = 50e-3;  // longer calls do not notice what waking their threads costs
constexpr double kWarmUp_s = 20e-3;
constexpr int kWarmUpCalls = 3;
constexpr std::int64_t kMostCallsASample = 1024;
constexpr std::int64_t kMostGraphNodes = 8192;  // tiny shapes: the graph goes round this many of their sets
constexpr std::size_t kMostRounds = 2000;
constexpr std::size_t kFewestForInterval = 6;
// A pilot on a few rows of A tells how long the whole takes; work below this is simply run.
constexpr double kPilotFlop = 2e8;

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
  references_ = &references;
  const Point& point = subject_.point;
  outcome_.precision = subject_.implementation->description().precision;
  outcome_.input_sets = inputs.timed.count();
  std::string refusal = subject_.implementation->unavailable();
  if (refusal.empty()) refusal = subject_.implementation->why_not(point.shape, point.parameters);
  if (!refusal.empty()) {
    end(Status::kUnsupported, refusal);
    return false;
  }
  bool goes_on = false;
  return guarded([&] {
           if (predicted_too_long()) return;
           {
             PhaseTimer timer(outcome_.phases_s["prepare"]);
             watch_.enter(index_, "prepare", settings_.timeout_s);
             session_ = subject_.implementation->prepare(point.shape, point.parameters);
           }
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
  watch_.enter(index_, "pilot", settings_.timeout_s);
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

void SubjectRun::check_exact() {
  PhaseTimer timer(outcome_.phases_s["verify"]);
  watch_.enter(index_, "exact check", settings_.timeout_s);
  InputSets& sets = inputs_->exact;
  const Shape& shape = subject_.point.shape;
  subject_.backend->poison(sets.c(0), shape.c_count());
  seconds_a_call_ = subject_.backend->sample({[&] { session_->multiply(sets.a(0), sets.b(0), sets.c(0)); }},
                                             Scope::kCall, Timing::kLaunch, 0);
  watch_.enter(index_, "comparing", settings_.timeout_s);
  AlignedArray<float> c(shape.c_count());
  subject_.backend->download(c.data(), sets.c(0), c.count());
  for (Check& check : references_->exact.check(c.data(), 0)) outcome_.checks.push_back(std::move(check));
  check_unchanged(sets, references_->exact, 0);
}

/// Calls on the real inputs until caches, clocks and pages have settled; the first one's C is checked.
void SubjectRun::warm_up() {
  PhaseTimer timer(outcome_.phases_s["warm_up"]);
  InputSets& sets = inputs_->timed;
  subject_.backend->poison(sets.c(0), subject_.point.shape.c_count());
  double spent_s = 0;
  double best_s = 0;
  for (int call = 0; call < kWarmUpCalls || spent_s < kWarmUp_s; ++call) {
    watch_.enter(index_, "warm-up", settings_.timeout_s + 10 * seconds_a_call_);
    const double seconds = subject_.backend->sample(
        {[&] { session_->multiply(sets.a(0), sets.b(0), sets.c(0)); }}, Scope::kKernel, Timing::kLaunch, 0);
    if (call == 0) {
      check_timed_output(0);
      check_unchanged(sets, references_->bound, 0);
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
  const std::int64_t sets = inputs_->timed.count();
  const double seconds = std::max(seconds_a_call_, 1e-9);
  if (gpu && subject_.point.scope == Scope::kKernel && seconds < kGraphBelow_s) {
    outcome_.timing = Timing::kGraph;
    const auto wanted =
        std::min(kMostCallsASample, static_cast<std::int64_t>(std::ceil(kGraphBelow_s / seconds)));
    outcome_.calls_per_sample = std::min((wanted + sets - 1) / sets * sets, kMostGraphNodes);
  } else if (!gpu && seconds < kBatchBelow_s) {
    outcome_.timing = Timing::kBatch;
    outcome_.calls_per_sample =
        std::min(kMostCallsASample, static_cast<std::int64_t>(std::ceil(kBatchLength_s / seconds)));
  }
}

/// On the CPU: lets the threads of other points fall asleep, then wakes this one's with an untimed call.
void SubjectRun::settle() {
  if (subject_.backend->device() != Device::kCpu) return;
  std::this_thread::sleep_for(kSettle);
  if (seconds_a_call_ > kWakeBelow_s) return;
  const std::int64_t set = next_set_++ % inputs_->timed.count();
  session_->multiply(inputs_->timed.a(set), inputs_->timed.b(set), inputs_->timed.c(set));
}

/// Seconds a call of one sample. A graph always replays the same sets in the same order; else the sets go
/// round.
double SubjectRun::sample() {
  const std::int64_t sets = inputs_->timed.count();
  watch_.enter(index_, "timed call",
               settings_.timeout_s + 10 * seconds_a_call_ * static_cast<double>(outcome_.calls_per_sample));
  settle();
  if (calls_.empty() || outcome_.timing != Timing::kGraph) {
    calls_.clear();
    for (std::int64_t call = 0; call < outcome_.calls_per_sample; ++call, ++next_set_) {
      const std::int64_t set = next_set_ % sets;
      calls_.push_back([this, set] {
        session_->multiply(inputs_->timed.a(set), inputs_->timed.b(set), inputs_->timed.c(set));
      });
    }
  }
  const auto calls = static_cast<double>(calls_.size());
  const double seconds = subject_.backend->sample(calls_, subject_.point.scope, outcome_.timing,
                                                  static_cast<std::uint64_t>(index_) + 1);
  timed_s_ += seconds;
  return seconds / calls;
}

void SubjectRun::verified_sample(int round) {
  inputs_->timed.poison_all();
  outcome_.samples_s.push_back(sample());
  outcome_.rounds.push_back(round);
  PhaseTimer timer(outcome_.phases_s["verify"]);
  const std::int64_t sets = inputs_->timed.count();
  const std::int64_t last = (next_set_ - 1) % sets;
  check_timed_output(last);
  check_unchanged(inputs_->timed, references_->bound, last);
  const std::int64_t first = (next_set_ - outcome_.calls_per_sample) % sets;
  if (first != last) check_timed_output(first);
}

void SubjectRun::check_timed_output(std::int64_t set) {
  watch_.enter(index_, "comparing", settings_.timeout_s);
  AlignedArray<float> c(subject_.point.shape.c_count());
  subject_.backend->download(c.data(), inputs_->timed.c(set), c.count());
  for (Check& check : references_->bound.check(c.data(), inputs_->timed.rotation(set))) {
    outcome_.checks.push_back(std::move(check));
  }
}

void SubjectRun::check_unchanged(InputSets& inputs, const Reference& reference, std::int64_t set) {
  watch_.enter(index_, "comparing", settings_.timeout_s);
  const Point& point = subject_.point;
  AlignedArray<float> a(point.shape.a_count());
  AlignedArray<float> b(point.shape.b_count());
  subject_.backend->download(a.data(), inputs.a(set), a.count());
  subject_.backend->download(b.data(), inputs.b(set), b.count());
  outcome_.checks.push_back(check_inputs_unchanged(a.data(), b.data(), point.shape, reference.distribution(),
                                                   point.seed, inputs.rotation(set), reference.limit()));
  if (outcome_.checks.back().verdict != Verdict::kOk) inputs.restore(set);
}

/// Ends the subject, and says so, where a check has found it wrong: nothing wrong is timed any further.
bool SubjectRun::wrong_so_far() {
  if (overall(outcome_.checks) != Verdict::kIncorrect) return false;
  const auto worst = std::find_if(outcome_.checks.begin(), outcome_.checks.end(),
                                  [](const Check& check) { return check.verdict != Verdict::kOk; });
  std::string reason = "no check was made";
  if (worst != outcome_.checks.end()) {
    reason = worst->method + " check failed, worst at row " + std::to_string(worst->worst_row) + ", column " +
             std::to_string(worst->worst_col);
  }
  end(Status::kIncorrect, reason);
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
  if (!last && timed_s_ >= settings_.min_time_s && outcome_.samples_s.size() + 1 >= next_look_) {
    last = relative_half_width(outcome_.samples_s) <= settings_.precision;
    if (last) outcome_.stop_reason = "precision";
    // Looked at now and then only: sorting all samples in every round would cost more than short calls do.
    next_look_ = std::max(kFewestForInterval, outcome_.samples_s.size() * 9 / 8 + 1);
  }
  if (!last) {
    return guarded([&] {
      outcome_.samples_s.push_back(sample());
      outcome_.rounds.push_back(round);
    });
  }
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
  outcome_.threads_actual = session_->threads_actual();
  outcome_.chosen = session_->chosen();
  outcome_.resources = session_->resources();
  const bool less_declared = outcome_.precision != Precision::kFp32;
  switch (overall(outcome_.checks)) {
    case Verdict::kOk:
      end(Status::kOk, "");
      break;
    case Verdict::kUncertified:
      outcome_.warnings.push_back("this distribution is timed but its accuracy is not certified");
      end(Status::kOk, "");
      break;
    case Verdict::kReducedPrecision:
      if (less_declared) {
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
