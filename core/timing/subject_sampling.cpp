// The timed part of a subject: how its samples are made, and when there are enough of them.

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/statistics.h"
#include "core/timing/phase_timer.h"
#include "core/timing/sampling.h"
#include "core/timing/subject_run.h"

namespace gemmlab {
namespace {

constexpr auto kCoolDown = std::chrono::milliseconds(50);  // before a throttled sample is taken again
constexpr int kMostRetaken = 20;
constexpr int kTriesToBind = 3;  // a library that makes its threads anew each time does so for good

}  // namespace

/// Seconds of a single call in the point's own scope.
double SubjectRun::one_call_s(std::int64_t set) {
  Backend& backend = *subject_.backend;
  if (host_ == nullptr) return backend.sample({call_on(set)}, subject_.point.scope, Timing::kLaunch, key());
  const Instance& instance = subject_.point.instance;
  const Operands on_host = host_->operands(set);
  EndToEnd work;
  const std::vector<OperandSpec> specs = instance.operands();
  for (std::size_t i = 0; i < on_host.size(); ++i)
    work.operands.push_back({on_host.at(i), instance.bytes(i), specs.at(i).direction});
  work.allocation = subject_.point.allocation;
  work.host_memory = subject_.point.host_memory;
  work.run = [this](const Operands& operands) { call(operands); };
  return backend.end_to_end_s(work);
}

/// Calls per sample: as many as their length asks for, or as the other of a pair takes.
void SubjectRun::choose_timing() {
  if (alike_ != nullptr) {
    outcome_.timing = alike_->outcome_.timing;
    outcome_.calls_per_sample = alike_->outcome_.calls_per_sample;
    return;
  }
  const Sampling sampling =
      sampling_of(subject_.backend->device(), subject_.point.scope, seconds_per_call_, outcome_.input_sets);
  outcome_.timing = sampling.timing;
  outcome_.calls_per_sample = sampling.calls;
}

/// The calls of a sample on the device's own operands. A graph always replays the same sets in the same order;
/// else the sets go round.
const std::vector<Backend::Call>& SubjectRun::next_calls() {
  const std::int64_t sets = inputs_->timed.count();
  if (calls_.empty() || outcome_.timing != Timing::kGraph) {
    calls_.clear();
    for (std::int64_t call = 0; call < outcome_.calls_per_sample; ++call) {
      calls_.push_back(call_on(next_set_++ % sets));
    }
  }
  return calls_;
}

/// Seconds of all calls of a sample.
double SubjectRun::device_sample_s() {
  return subject_.backend->sample(next_calls(), subject_.point.scope, outcome_.timing, key());
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
  if (subject_.backend->device().host_threads && seconds_per_call_ <= kWakeBelow_s) {
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

/// Was the clock held down, or did threads work that were not bound, because they were made or found too late? The
/// next sample binds them. Not for ever: what stays so is told in the record.
bool SubjectRun::spoilt(const Conditions& conditions) {
  if (conditions.held_down() && retaken_ < kMostRetaken) {
    ++retaken_;
    std::this_thread::sleep_for(kCoolDown);
    return true;
  }
  unbound_in_a_row_ = conditions.pinned.value_or(true) ? 0 : unbound_in_a_row_ + 1;
  return unbound_in_a_row_ > 0 && unbound_in_a_row_ < kTriesToBind;
}

/// Takes one sample and keeps it. One that is spoilt is taken again in the same round, so that the ratios with
/// what others took in it stay what they are.
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
    if (spoilt(conditions)) continue;
    timed_s_ += seconds;
    outcome_.observed.add(conditions);
    outcome_.samples_s.push_back(seconds / static_cast<double>(outcome_.calls_per_sample));
    outcome_.rounds.push_back(round);
    return;
  }
}

void SubjectRun::make_ready() {
  PhaseTimer timer(outcome_.phases_s["verify"]);
  if (host_ == nullptr) return inputs_->timed.make_all_ready();
  const std::int64_t sets = subject_.point.instance.in_out() ? host_->count() : 1;  // one of each output
  for (std::int64_t set = 0; set < sets; ++set) host_->make_ready(set);
}

void SubjectRun::verified_sample(int round) {
  make_ready();
  sample(round);
  check_last();
}

/// One more call on what a checked call has to find: where operands are overwritten that are read as well,
/// the timed calls have gone on from one another's.
void SubjectRun::call_anew(std::int64_t set) {
  enter("call to be checked");
  host_ != nullptr ? host_->make_ready(set) : inputs_->timed.make_ready(set);
  one_call_s(set);
}

/// Of all calls since make_ready(), what the last sample computed in its first and its last.
void SubjectRun::check_last() {
  PhaseTimer timer(outcome_.phases_s["verify"]);
  const std::int64_t last = (next_set_ - 1) % outcome_.input_sets;
  const bool anew = subject_.point.instance.in_out();
  if (anew) call_anew(last);
  enter("comparing");
  if (host_ != nullptr) return checks_->host(*host_, last);
  checks_->timed(inputs_->timed, last, true);
  const std::int64_t first = (next_set_ - outcome_.calls_per_sample) % outcome_.input_sets;
  if (first != last && !anew) checks_->timed(inputs_->timed, first, false);
}

bool SubjectRun::wants_more() const {
  const std::size_t taken = outcome_.samples_s.size() + 1;  // the verified last one is still to come
  return taken < most_samples(seconds_per_call_) && timed_s_ < settings_.max_time_s;
}

double SubjectRun::seconds_per_sample() const {
  if (!outcome_.samples_s.empty()) return timed_s_ / static_cast<double>(outcome_.samples_s.size());
  return seconds_per_call_ * static_cast<double>(outcome_.calls_per_sample);
}

bool SubjectRun::round(int round, bool last) {
  if (!last && wants_more()) return guarded([&] { sample(round); });
  outcome_.stop_reason = precise()                          ? "precision"
                         : seconds_per_call_ > kLongCall_s  ? "long call"
                         : timed_s_ >= settings_.max_time_s ? "limit"
                                                            : "rounds";
  guarded([&] {
    verified_sample(round);
    if (!wrong_so_far()) conclude();
  });
  return false;
}

}  // namespace gemmlab
