// What a Checker makes of all shapes together, once it has been through them.

#include <fmt/format.h>

#include <algorithm>

#include "submissions/judge/checking/checker.h"

namespace gemmlab::submissions {

Failure failure_from(const Diagnosis& diagnosis, const Shape& shape) {
  Failure failure;
  failure.shape = shape;
  failure.element = true;
  failure.row = diagnosis.row;
  failure.col = diagnosis.col;
  failure.expected = diagnosis.expected;
  failure.got = diagnosis.got;
  failure.wrong = diagnosis.wrong;
  failure.pattern = diagnosis.pattern;
  failure.over_shapes = diagnosis.over_shapes;
  failure.explanation = diagnosis.summary;
  failure.hint = diagnosis.hint;
  return failure;
}

/// An access outside the matrices ends the checks, so no other shape is known. If all shapes before it were
/// square and right, and it came at the first shape of whole tiles with different sides, no guard is missing:
/// M, N and K are mixed up.
void Checker::explain_outside(Failure& failure) const {
  constexpr std::size_t kSquaresEnough = 4;
  constexpr std::int64_t kWholeTiles = 8;
  const auto square = [](const Shape& s) { return s.m == s.n && s.n == s.k; };
  const std::vector<ShapeOutcome>& outcomes = result_.outcomes;
  if (failure.verdict != Judged::kOutOfBounds || outcomes.size() <= kSquaresEnough || !failure.shape) return;
  const Shape& at = *failure.shape;
  if (square(at) || at.m % kWholeTiles != 0 || at.n % kWholeTiles != 0 || at.k % kWholeTiles != 0) return;
  const bool only_squares = std::all_of(outcomes.begin(), outcomes.end() - 1, [&](const ShapeOutcome& one) {
    return one.right && square(one.shape);
  });
  if (!only_squares || outcomes.back().right) return;
  failure.over_shapes = "only-squares";
  failure.explanation +=
      fmt::format(" All {} squares before it were right; this is the first shape where M, N and K differ.",
                  outcomes.size() - 1);
  failure.hint =
      "Look at which of M, N and K stands where. Here N is the inner dimension, which BLAS and most books "
      "call K: rows of A have N elements, rows of B and C have K, and the sum runs over N.";
}

/// The simplest call, which was the first, was wrong: because nothing works, or because it was the first?
void Checker::explain_first_call() {
  if (!first_wrong_ || result_.outcomes.empty()) return;
  if (!result_.outcomes.front().right) {
    result_.notes.push_back(
        "Wrong even for a 16×16 matrix of ones by one of twos, where every element of C is 32.");
    return;
  }
  Failure failure;
  failure.pattern = "kept-state";
  failure.shape = Shape{16, 16, 16};
  failure.explanation =
      "The very first call, of 16×16 ones by twos, was wrong, and a later one of the same shape right.";
  failure.hint =
      "Something is set up only by the first call, or after its product: a static buffer, or a static flag.";
  result_.failures.push_back(failure);
}

/// All outcomes are known by now, which is what patterns over shapes need.
void Checker::explain() {
  explain_first_call();
  for (Failure& failure : result_.failures) explain_outside(failure);
  // before what C looks like, of which they are the cause
  const bool wrong = std::any_of(result_.outcomes.begin(), result_.outcomes.end(),
                                 [](const ShapeOutcome& one) { return !one.right; });
  for (Failure& failure : failures_of(result_.findings, Beside::kEmulator, wrong)) {
    const bool said = std::any_of(result_.failures.begin(), result_.failures.end(),
                                  [&](const Failure& one) { return one.explanation == failure.explanation; });
    if (!said) result_.failures.push_back(std::move(failure));
  }
  std::vector<std::string> said;
  for (const auto& [score, one] : evidence_) {
    const Diagnosis diagnosis = diagnose(one, result_.outcomes);
    if (std::find(said.begin(), said.end(), diagnosis.pattern) != said.end()) continue;
    said.push_back(diagnosis.pattern);
    Failure failure = failure_from(diagnosis, one.shape);
    if (diagnosis.pattern == "remembered") failure.verdict = Judged::kDishonest;
    result_.failures.push_back(failure);
  }
}

}  // namespace gemmlab::submissions
