#include "submissions/judge/entrant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/measure.h"
#include "core/sampling.h"
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
  const double time_s = one(number);
  if (time_s > 0) {
    timed_s_ += time_s;
    timing_.samples_s.push_back(time_s);
    timing_.rounds.push_back(number);
  }
  return more && timing_.skipped.empty();
}

/// One call; 0 where it cannot be counted.
double EntrantAtShape::one(int round) {
  CalleeProcess& process = *entrant_.process;
  float* c = process.matrices().c->at(0);
  float poison = 0;
  const std::uint32_t word = kPoisonC;
  std::memcpy(&poison, &word, sizeof poison);
  std::fill_n(c, at_.shape.c_count(), poison);
  process.resume();
  const bool gpu = entrant_.racer.setup.gpu;
  const CallEnd end = process.ask(call_at(at_.shape), at_.rule.limits.call_s + (gpu ? kTimedTransfer_s : 0));
  if (process.alive()) process.pause();
  if (end.how != CallEnd::How::kAnswered || end.reply.said != Said::kReturned) return refused(end);
  if (const auto failure =
          failure_of(end, Phase::kTiming, at_.shape, at_.rule.limits.call_s, process.printed()))
    return refused(end);
  const std::vector<Check> checks = at_.inputs.check(c, round);
  if (own()) {
    if (!at_.calls.accepted(checks, at_.shape, process, at_.inputs, round)) return 0;
  } else if (!right(checks)) {
    timing_.skipped = "its result was wrong";
    return 0;
  }
  if (entrant_.is(kSubmission)) at_.calls.learn(end, at_.shape);
  if (end.reply.seconds > 0) entrant_.s_per_flop = end.reply.seconds / at_.shape.flop();
  return end.reply.seconds;
}

/// A call that did not return as it should.
double EntrantAtShape::refused(const CallEnd& end) {
  const Limits& limits = at_.rule.limits;
  if (end.how == CallEnd::How::kLate) {  // it was right; only too slow for this shape, and those after it
    timing_.skipped = fmt::format("a call did not end within {:g} s", limits.call_s);
    timing_.samples_s.clear();
    timing_.rounds.clear();
    return 0;
  }
  const auto failure = failure_of(end, Phase::kTiming, at_.shape, limits.call_s, entrant_.process->printed());
  if (!failure) return 0;
  if (own()) {
    at_.result.failures.push_back(*failure);
  } else {
    timing_.skipped = failure->explanation;
  }
  return 0;
}

}  // namespace gemmlab::submissions
