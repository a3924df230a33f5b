#include "submissions/judge/timing/entrant.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/timing/measure.h"
#include "core/timing/sampling.h"
#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {

EntrantAtShape::EntrantAtShape(Entrant& entrant, const ShapeAtHand& at)
    : entrant_(entrant), at_(at), stop_(MeasureSettings{}.precision, MeasureSettings{}.min_time_s) {
  const Racer& racer = entrant.racer;
  timing_.shape = at.shape;
  timing_.name = racer.name;
  timing_.label = racer.label;
  timing_.role = racer.role;
  timing_.id = racer.setup.implementation;
  if (const double expected_s = entrant.predicted_s(at.shape); expected_s > at.rule.limits.call_s)
    timing_.skipped = fmt::format("a call is predicted to take {:.0f} s; at most {:g} s is allowed",
                                  expected_s, at.rule.limits.call_s);
}

double EntrantAtShape::seconds_per_sample() const {
  if (timing_.samples_s.empty()) return entrant_.predicted_s(at_.shape);
  return timed_s_ / static_cast<double>(timing_.samples_s.size());
}

bool EntrantAtShape::wants_more() const {
  const auto most = std::min(static_cast<std::size_t>(at_.rule.rounds), most_samples(seconds_per_sample()));
  return static_cast<std::size_t>(rounds_taken_) + 1 < most * times_;
}

bool EntrantAtShape::round(int number, bool last) {
  if (!at_.result.failures.empty() || !timing_.skipped.empty()) return false;
  const bool more = !last && wants_more();
  ++rounds_taken_;
  const double time_s = at_.windows == nullptr ? one(number) : window(number);
  if (time_s > 0) {
    timed_s_ += time_s;
    timing_.samples_s.push_back(time_s);
    timing_.rounds.push_back(number);
    if (at_.windows != nullptr) timing_.events_s.push_back(events_s_);
    if (at_.windows == nullptr) timing_.waited_s.push_back(waited_s_);
  }
  return more && timing_.skipped.empty();
}

/// Calls that take less than this are short: what starting and stopping them takes differs from one to the next.
std::int64_t EntrantAtShape::calls_of_sample() const {
  constexpr double kShort_s = 5e-3;
  const double expected_s = seconds_per_sample();
  if (expected_s <= 0) return 1;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(kShort_s / expected_s), 1, kMostCallsOfSample);
}

/// One sample; 0 where it cannot be counted.
double EntrantAtShape::one(int round) {
  const std::int64_t calls = calls_of_sample();
  double sum_s = 0;
  waited_s_ = 0;
  for (std::int64_t i = 0; i < calls; ++i) {
    const double time_s = call(first_call_of(round) + i);
    if (time_s <= 0) return 0;
    sum_s += time_s;
  }
  const double mean_s = sum_s / static_cast<double>(calls);
  entrant_.s_per_flop = mean_s / at_.shape.flop();
  waited_s_ /= static_cast<double>(calls);
  return mean_s;
}

/// Seconds by the judge's own clock; 0 where the call cannot be counted.
double EntrantAtShape::call(std::int64_t number) {
  if (at_.inputs.fill(at_.rooms, number)) usleep(kThreadsSleep_us);
  CalleeProcess& process = *entrant_.process;
  float poison = 0;
  const std::uint32_t word = kPoisonC;
  std::memcpy(&poison, &word, sizeof poison);
  std::fill_n(process.matrices().c->at(0), at_.shape.c_count(), poison);
  const CallEnd end = process.timed(call_at(at_.shape), at_.rule.limits.call_s);
  if (!right_or_said(end, number)) return 0;
  waited_s_ += end.waited_s;
  const double time_s = at_.empty->less(end.stopped_s);
  if (entrant_.is(kSubmission)) at_.calls.learn(end, time_s, at_.shape);
  return time_s;
}

bool EntrantAtShape::right_or_said(const CallEnd& end, std::int64_t number) {
  CalleeProcess& process = *entrant_.process;
  if (failure_of(end, Phase::kTiming, at_.shape, at_.rule.limits.call_s, process.printed()) ||
      end.reply.said != Said::kReturned) {
    refused(end);
    return false;
  }
  const float* c = process.matrices().c->at(0);
  if (own()) {
    Request look = call_at(at_.shape);
    look.ask = Ask::kLook;
    return at_.calls.accepted(c, at_.shape, process, at_.inputs, number, look);
  }
  if (right(at_.inputs.check(c, number))) return true;
  timing_.skipped = "its result was wrong";
  return false;
}

/// A window's first tells little of its length: code is loaded.
void EntrantAtShape::warm_up() {
  if (at_.windows == nullptr) {
    one(-1);
    return;
  }
  for (const int round : {kFirstWarmUp, kFirstWarmUp + 1}) {
    if (timing_.skipped.empty() && at_.result.failures.empty()) window(round);
  }
}

/// A call that did not return as it should.
void EntrantAtShape::refused(const CallEnd& end) {
  const Limits& limits = at_.rule.limits;
  if (end.how == CallEnd::How::kLate) {  // it was right; only too slow for this shape, and those after it
    timing_.skipped = fmt::format("a call did not end within {:g} s", limits.call_s);
    timing_.samples_s.clear();
    timing_.rounds.clear();
    timing_.events_s.clear();
    timing_.waited_s.clear();
    return;
  }
  const auto failure = failure_of(end, Phase::kTiming, at_.shape, limits.call_s, entrant_.process->printed());
  if (!failure) return;
  if (own()) {
    at_.result.failures.push_back(*failure);
  } else {
    timing_.skipped = failure->explanation;
  }
}

}  // namespace gemmlab::submissions
