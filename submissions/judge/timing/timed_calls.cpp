#include "submissions/judge/timing/timed_calls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

bool tolerable(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.verdict == Verdict::kIncorrect; });
}

}  // namespace

std::string launches_of_last_call(CalleeProcess& process) {
  Request request;
  request.ask = Ask::kResources;
  process.resume();
  const CallEnd end = process.ask(request, kTimedTransfer_s);
  if (process.alive()) process.pause();
  return end.how == CallEnd::How::kAnswered && end.reply.text[0] == '[' ? end.reply.text : std::string();
}

bool right(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.verdict == Verdict::kOk; });
}

void TimedCalls::begin_shape() {
  busy_.clear();
}

void TimedCalls::end_shape() {
  if (!busy_.empty()) result_.threads_busy = median(busy_);
}

void TimedCalls::learn(const CallEnd& end, double time_s, const Shape& shape) {
  if (result_.first_s == 0) {
    result_.first_s = time_s;
    result_.first_shape = shape;
  }
  if (!gpu_ && time_s > 0) busy_.push_back(end.cpu_s / time_s);
  if (gpu_ && time_s > 0) result_.beside_kernel = std::max(0.0, 1 - end.reply.seconds / time_s);
}

/// C is within reduced precision at a timed shape, whatever it was at the checked ones.
void TimedCalls::less_precise(const std::vector<Check>& checks, const Shape& shape) {
  if (!result_.imprecise.empty()) return;
  const auto worst = std::find_if(checks.begin(), checks.end(), [](const Check& check) {
    return check.verdict == Verdict::kReducedPrecision;
  });
  Failure failure;
  failure.verdict = Judged::kReducedPrecision;
  failure.pattern = "reduced-precision";
  failure.shape = shape;
  failure.explanation = fmt::format(
      "In a timed call at {} C is off by up to {:.0f} roundings of float, where sums in float stay under 16.",
      in_students_words(shape), std::max(worst->eta_max, worst->residual));
  failure.hint =
      "A and B, or the sums, are held in half, bfloat16 or TF32, or in a fast algorithm such as Strassen's, "
      "which cancels digits.";
  result_.imprecise.push_back(failure);
}

bool TimedCalls::accepted(const float* c, const Shape& shape, CalleeProcess& process,
                          const KeptAnswers& answers, std::int64_t call, const Request& look) {
  const std::vector<Check> checks = answers.check(c, call);
  if (tolerable(checks)) {
    if (!right(checks)) less_precise(checks, shape);
    return true;
  }
  if (remembered(shape, c, answers)) return false;
  if (became_right(shape, process, answers, call, look)) {
    result_.failures.push_back(unfinished(shape));
  } else {
    wrong_when_timed(checks, shape, c);
  }
  return false;
}

bool TimedCalls::remembered(const Shape& shape, const float* c, const KeptAnswers& answers) {
  for (const std::int64_t earlier : answers.earlier()) {
    if (!tolerable(answers.check(c, earlier))) continue;
    Failure failure;
    failure.shape = shape;
    failure.verdict = Judged::kDishonest;
    failure.pattern = "remembered";
    failure.explanation = fmt::format("In a timed call at {} C was the answer to an earlier call's inputs.",
                                      in_students_words(shape));
    failure.hint =
        "Every call gets other matrices, at the same addresses. Nothing may be kept from one to the next.";
    result_.failures.push_back(failure);
    return true;
  }
  return false;
}

bool TimedCalls::became_right(const Shape& shape, CalleeProcess& process, const KeptAnswers& answers,
                              std::int64_t call, const Request& look) {
  process.resume();
  usleep(kWaitForLate_us);
  const CallEnd end = process.ask(look, limits_.call_s + kTimedTransfer_s);
  if (const auto failure = failure_of(end, Phase::kTiming, shape, limits_.call_s, process.printed()))
    return failure->verdict == Judged::kDishonest;
  return tolerable(answers.check(process.matrices().c->at(0), call));
}

void TimedCalls::wrong_when_timed(const std::vector<Check>& checks, const Shape& shape, const float* c) {
  Failure failure;
  failure.shape = shape;
  failure.element = checks.front().worst_row >= 0;
  failure.row = checks.front().worst_row;
  failure.col = checks.front().worst_col;
  failure.pattern = "wrong-when-timed";
  failure.got = failure.element ? c[failure.row * shape.n + failure.col] : 0;
  failure.expected = std::nan("");
  failure.explanation = fmt::format(
      "C was wrong in a timed call at {}. The shapes that are checked are smaller, and do not show it.",
      in_students_words(shape));
  failure.hint =
      "Look for an int that overflows in an index (row * N + k), a buffer of fixed size, something kept from "
      "an earlier call, or a race that large sizes bring out.";
  result_.failures.push_back(failure);
}

}  // namespace gemmlab::submissions
