// What a Checker makes of all shapes together, once it has been through them.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "submissions/diagnosis/probes.h"
#include "submissions/judge/checking/checker.h"
#include "submissions/solve_shape.h"

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
      "Look at which of M, N and K stands where. Here N is the inner dimension{N:, which BLAS and most books "
      "call K}: rows of A have N elements, rows of B and C have K, and the sum runs over N.";
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

/// Patterns that tell where C is wrong, but not why.
bool vague(const std::string& pattern) {
  static const std::set<std::string> kVague = {
      "scattered",      "only-small", "only-large", "only-squares", "single-element", "row-range",
      "column-range",   "rectangle",  "tail-of-c",  "tile-pattern", "only-multiples", "only-equal-dimensions",
      "only-remainder", "stripes"};
  return kVague.count(pattern) > 0;
}

/// Of the shapes that are wrong, the one with the most terms in each sum up to some number, and of those the smallest: it shows best
/// which terms are lost, and costs little.
const Shape* Checker::clearest() const {
  constexpr std::int64_t kTerms = 300, kMostProducts = 10'000'000, kSide = 15;
  const Shape* best = nullptr;
  for (const ShapeOutcome& one : result_.outcomes) {
    if (one.right || one.shape.c_count() * one.shape.k > kMostProducts) continue;
    const auto better = [&](const Shape& x, const Shape& y) {
      const bool thin = std::min(x.m, x.n) < kSide, other_thin = std::min(y.m, y.n) < kSide;
      if (thin != other_thin) return other_thin;
      const std::int64_t terms = std::min(x.k, kTerms), others = std::min(y.k, kTerms);
      return terms != others ? terms > others : x.c_count() * x.k < y.c_count() * y.k;
    };
    if (best == nullptr || better(one.shape, *best)) best = &one.shape;
  }
  return best;
}

/// One call with matrices of our own; empty where the process did not come back from it as it should.
std::optional<std::vector<float>> Checker::probe(const Shape& shape, const std::vector<float>& a,
                                                 const std::vector<float>& b) {
  constexpr int kMostProbes = 120;
  constexpr double kProbes_s = 15;
  if (over_ || ++probes_ > kMostProbes || probed_s_ > kProbes_s || !process_->alive()) return {};
  const auto held = [&](const std::vector<float>& values) {
    const ElementType type = setup_.solve.types.type;
    return std::all_of(values.begin(), values.end(),
                       [&](float value) { return rounded(type, value) == value; });
  };
  if (!held(a) || !held(b)) return {};  // of few digits: such a probe does not apply
  place(shape, Placement::kAtEnd, kPoisonC);
  put(a, b);
  const CallEnd end = ask();
  probed_s_ += end.wall_s;
  if (end.how != CallEnd::How::kAnswered || end.reply.said != Said::kReturned) return {};
  return copy_of_c();
}

/// Is C right where the same call is the first of a process?
bool Checker::right_when_first(const Evidence& evidence) {
  place(evidence.shape, Placement::kAtEnd, kPoisonC);
  put(evidence.a, evidence.b);
  CalleeProcess fresh(setup_);
  if (fresh.ready(kStart_s).reply.said != Said::kReady ||
      fresh.load(limits_.call_s).reply.said != Said::kLoaded)
    return false;
  const CallEnd end = fresh.ask(request_, limit_s());
  fetch();
  if (end.how != CallEnd::How::kAnswered || end.reply.said != Said::kReturned) return false;
  const std::vector<double> right = product_of(evidence.a, evidence.b, evidence.shape);
  const ElementType type = setup_.solve.types.result;
  return std::equal(right.begin(), right.end(), c(), [&](double should, float is) {
    return static_cast<double>(rounded(type, static_cast<float>(should))) == static_cast<double>(is);
  });
}

/// What more calls say of a C whose values alone say little.
void Checker::improve(Diagnosis& diagnosis, const Evidence& evidence) {
  static const std::set<std::string> kSure = {"remembered",
                                              "uninitialised-c",
                                              "zeros",
                                              "constant",
                                              "scaled",
                                              "offset",
                                              "elementwise",
                                              "transposed-result",
                                              "transposed-a",
                                              "transposed-b",
                                              "transposed-operands",
                                              "column-major",
                                              "wrong-dimension",
                                              "inner-tail",
                                              "inner-head",
                                              "inner-off-by-one",
                                              "inner-last-tile"};
  if (kSure.count(diagnosis.pattern) > 0 || over_) return;
  if (diagnosis.pattern == "kept-state" || right_when_first(evidence)) {
    if (diagnosis.pattern == "kept-state") return;
    diagnosis.pattern = "kept-state";
    diagnosis.summary = fmt::format(
        "Only the first call of a process is right: at {} the same inputs give the right C in a new process, "
        "and a wrong "
        "one after other calls.",
        in_students_words(evidence.shape));
    diagnosis.hint =
        "Something is kept from call to call and not set back: a __device__, static or global variable (a "
        "counter, a "
        "flag), or memory that is set only once.";
    return;
  }
  if (diagnosis.pattern == "race" && setup_.emulated()) {
    // the emulator runs every call alike: no timing is behind it
    diagnosis.pattern = "uninitialised-variable";
    diagnosis.hint =
        "The emulator runs both calls in the same order, so no race is behind it: something is read that "
        "nobody has set (a "
        "local variable or array without = 0, memory of cudaMalloc).";
    return;
  }
  if (diagnosis.pattern == "race" || diagnosis.pattern == "nothing-written" || diagnosis.pattern == "nan" ||
      diagnosis.pattern == "partly-written")
    return;
  const auto here = [&](const auto& a, const auto& b) { return probe(evidence.shape, a, b); };
  std::optional<Diagnosis> found = places_of_sums(evidence.shape, here);
  if (const Shape* shape = clearest(); !found && shape != nullptr)
    found = counted_terms(
        *shape, [&](const auto& a, const auto& b) { return probe(*shape, a, b); }, setup_.solve.types);
  if (!found) found = places_of_terms(evidence.shape, here);
  if (!found) return;
  // how the shapes went stands in front, where it says more than numbers
  diagnosis.pattern = found->pattern;
  diagnosis.summary = found->summary;
  diagnosis.hint = found->hint;
}

/// All outcomes are known by now, which is what patterns over shapes need.
void Checker::explain() {
  explain_first_call();
  for (Failure& failure : result_.failures) explain_outside(failure);
  // before what C looks like, of which they are the cause
  // an absolute tolerance explains what very small numbers come to
  const auto of_pattern = [](const char* pattern) {
    return [pattern](const Failure& one) { return one.pattern == pattern; };
  };
  std::vector<Failure>& all = result_.failures;
  if (std::any_of(all.begin(), all.end(), of_pattern("small-is-zero")))
    all.erase(std::remove_if(all.begin(), all.end(), of_pattern("narrow-range")), all.end());
  const bool wrong = std::any_of(result_.outcomes.begin(), result_.outcomes.end(),
                                 [](const ShapeOutcome& one) { return !one.right; });
  for (Failure& failure : failures_of(result_.findings, Beside::kEmulator, wrong)) {
    const bool said = std::any_of(result_.failures.begin(), result_.failures.end(),
                                  [&](const Failure& one) { return one.explanation == failure.explanation; });
    if (!said) result_.failures.push_back(std::move(failure));
  }
  std::vector<std::string> said;
  bool explained = false;
  for (const auto& [score, one] : evidence_) {
    Diagnosis diagnosis = diagnose(one, result_.outcomes);
    const std::string as_seen = diagnosis.pattern;
    if (said.empty()) improve(diagnosis, one);
    if (diagnosis.pattern != as_seen) said.push_back(as_seen);  // the same at other shapes says no more
    if (explained && vague(diagnosis.pattern)) continue;
    explained = explained || !vague(diagnosis.pattern);
    if (std::find(said.begin(), said.end(), diagnosis.pattern) != said.end()) continue;
    said.push_back(diagnosis.pattern);
    Failure failure = failure_from(diagnosis, one.shape);
    if (diagnosis.pattern == "remembered") failure.verdict = Judged::kDishonest;
    result_.failures.push_back(failure);
  }
  // by rounding down: what that does to larger shapes tells more
  std::stable_partition(all.begin(), all.end(),
                        [](const Failure& one) { return one.pattern != "empty-grid"; });
}

}  // namespace gemmlab::submissions
